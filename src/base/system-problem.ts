/** What an error code of the operating system means, and what to do about it. */
const SYSTEM_ERRORS: Record<string, readonly [meaning: string, hint: string]> = {
  ENOENT: ['it does not exist', 'check the path'],
  ENOTDIR: ['a part of the path is a file', 'check the path'],
  EISDIR: ['it is a folder', 'check the path; remove the folder if recal should write a file there'],
  EEXIST: ['it already exists', 'remove it, or choose another path'],
  ENOTEMPTY: ['the folder is not empty', 'remove what is in it, or choose another path'],
  ELOOP: ['its symbolic links form a loop', 'check the links in the path'],
  ENAMETOOLONG: ['the path is too long', 'choose a shorter path'],
  EACCES: ['permission denied', 'run recal as a user who may do this, or change the permissions'],
  EPERM: ['not permitted', 'run recal as a user who may do this, or change the permissions'],
  EROFS: ['the file system is read-only', 'choose a path on a writable file system'],
  EXDEV: ['it is on another file system', 'choose paths on one file system'],
  EBUSY: ['it is in use', 'wait until the other program has finished, then run the command again'],
  EIO: ['the disk reports an error', 'check the disk and the file system, and restore from a backup'],
  ESTALE: ['the network file system lost the file', 'mount it again, then run the command again'],
  ENOSPC: ['the disk is full', 'free some disk space, then run the command again'],
  EDQUOT: ['the disk quota is used up', 'free some space in the disk quota, then run the command again'],
  EFBIG: ['the file would be too large', 'raise the file-size limit (ulimit -f), or use another file system'],
  EMFILE: ['too many files are open', 'raise the open-file limit (ulimit -n)'],
  ENFILE: ['too many files are open on this machine', 'end other programs, or raise the limit of the system'],
  ENOMEM: ['the system has no memory left', 'end other programs, or use a machine with more memory'],
};

/** Explains an error code of the operating system, such as EACCES; undefined for an unknown one. */
export function systemProblem(code: string): { readonly meaning: string; readonly hint: string } | undefined {
  if (!Object.hasOwn(SYSTEM_ERRORS, code)) return undefined;
  const [meaning, hint] = SYSTEM_ERRORS[code];
  return { meaning, hint };
}
