// A log that outlasts a crash: `AppendLog FILE`.
//
// It prints the records of the file, and then appends each line of its input. A line is answered with
// "kept" when it has reached the disk. Kill the program at any moment (`kill -9`): the next run prints each
// line that was answered. AppendLog.swift is meant to be copied.
import UV

EventLoop.main { loop in
  guard let path = CommandLine.arguments.dropFirst().first else {
    throw UVError(.invalidArgument, operation: "AppendLog", subject: "no file is named")
  }
  let output = try loop.standardOutput
  let (log, records, cutCount) = try await AppendLog.open(FilePath(path), on: loop)
  for record in records { try await output.write([record, "\n"]).value }
  try await output.write(Bytes("\(records.count) records, \(cutCount) bytes cut\n")).value

  // Up to a thousand lines wait for the disk together.
  let input = try loop.standardInput
  try await loop.withTasks(limit: 1000) { tasks in
    while let line = try await input.readLine(limit: AppendLog.longestRecord).value {
      try await tasks.spawn {
        try await log.append(Bytes(line)).value
        try await output.write("kept\n").value
      }
    }
  }
  try await log.close().value
}
