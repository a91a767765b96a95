//! Tokio with a runtime of one thread, by the contract in ../README.md:
//!
//!     tokio-peer WORKLOAD [key=value ...]

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::rc::Rc;
use std::sync::{mpsc, Arc};
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::task::LocalSet;

type Options = HashMap<String, String>;

const POOL_THREADS: usize = 4;
const READ_SIZE: usize = 65536;

async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; READ_SIZE];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..count]).await?;
    }
}

async fn serve() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(echo(stream));
    }
}

async fn million_timers(count: u64) -> u64 {
    let fired = Rc::new(Cell::new(0));
    let timers: Vec<_> = (0..count)
        .map(|index| {
            let fired = fired.clone();
            tokio::task::spawn_local(async move {
                tokio::time::sleep(Duration::from_millis(1 + index / 1000)).await;
                fired.set(fired.get() + 1);
            })
        })
        .collect();
    for timer in timers {
        timer.await.unwrap();
    }
    fired.get()
}

/// So many tasks at a time; each goes on until there is no more work. Returns the sum of what they found.
async fn together<F, T>(in_flight: u64, count: u64, work: F) -> u64
where
    F: Fn(u64) -> T + Clone + 'static,
    T: std::future::Future<Output = u64> + 'static,
{
    let issued = Rc::new(Cell::new(0));
    let total = Rc::new(Cell::new(0));
    let tasks: Vec<_> = (0..in_flight)
        .map(|_| {
            let (issued, total, work) = (issued.clone(), total.clone(), work.clone());
            tokio::task::spawn_local(async move {
                while issued.get() < count {
                    let index = issued.get();
                    issued.set(index + 1);
                    let found = work(index).await;
                    total.set(total.get() + found);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    total.get()
}

async fn read_file(path: String) -> std::io::Result<u64> {
    let mut file = File::open(path).await?;
    let size = file.metadata().await?.len() as usize;
    let mut bytes = vec![0; size];
    Ok(file.read_exact(&mut bytes).await? as u64)
}

async fn wakeup(count: u64) -> u64 {
    let woken = Arc::new(Notify::new());
    let (answer, answers) = mpsc::channel();
    let waker = woken.clone();
    let thread = std::thread::spawn(move || {
        for _ in 0..count {
            waker.notify_one();
            answers.recv().unwrap();
        }
    });
    for _ in 0..count {
        woken.notified().await;
        answer.send(()).unwrap();
    }
    thread.join().unwrap();
    count
}

#[inline(never)]
async fn one(value: u64) -> u64 {
    value + 1
}

#[inline(never)]
async fn two(value: u64) -> u64 {
    value * 2
}

#[inline(never)]
async fn three(value: u64) -> u64 {
    value - 1
}

async fn work(workload: &str, count: u64, options: &Options) -> u64 {
    let in_flight = options.get("in-flight").map_or(1, |value| value.parse().unwrap());
    match workload {
        "million-timers" => million_timers(count).await,
        "wakeup" => wakeup(count).await,
        "fs-read" => {
            let directory = options["directory"].clone();
            let read = move |index| {
                let path = format!("{}/file-{:02}", directory, index % 64);
                async move { read_file(path).await.unwrap() }
            };
            together(in_flight, count, read).await
        }
        "then-chain" => {
            let chain = |index| async move { three(two(one(index).await).await).await };
            together(in_flight, count, chain).await
        }
        _ => panic!("there is no workload named {workload}"),
    }
}

fn answer_lines(runtime: Runtime, workload: &str, options: &Options) {
    for line in std::io::stdin().lock().lines() {
        let count = line.unwrap().parse().unwrap();
        let found = LocalSet::new().block_on(&runtime, work(workload, count, options));
        println!("{count} {found}");
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let workload = arguments.next().expect("a workload");
    let options = arguments
        .filter_map(|word| word.split_once('=').map(|(key, value)| (key.into(), value.into())))
        .collect();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(POOL_THREADS)
        .build()
        .unwrap();
    if workload == "tcp-echo" {
        runtime.block_on(serve()).unwrap();
    } else {
        answer_lines(runtime, &workload, &options);
    }
}
