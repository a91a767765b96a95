// The entries of an open directory, which are asked for by the call's number.

#include "disk.h"

#include <dirent.h>
#include <stddef.h>
#include <string.h>

long disk_entries(int descriptor, char *to, size_t size) {
  int code;
  struct open_file *open = disk_file_of(descriptor, &code);
  if (!open || !S_ISDIR(open->node->mode)) return open || code == -ESPIPE ? -ENOTDIR : code;
  size_t used = 0, part = cut_short(size);
  for (struct entry *entry = open->node->entries; entry; entry = entry->next) {
    if (entry->number <= open->offset) continue;
    size_t length = (offsetof(struct dirent64, d_name) + strlen(entry->name) + 8) & ~(size_t)7;
    if (used + length > size || (used && used + length > part)) {
      if (!used) return -EINVAL;
      break;
    }
    struct dirent64 *next = (struct dirent64 *)(to + used);
    memset(next, 0, length);
    next->d_ino = entry->node->number;
    next->d_off = (off64_t)entry->number;
    next->d_reclen = (unsigned short)length;
    next->d_type = (unsigned char)IFTODT(entry->node->mode);
    strcpy(next->d_name, entry->name);
    open->offset = entry->number;
    used += length;
  }
  return traced(CALL_opendir, descriptor, (long)used, open->offset);
}
