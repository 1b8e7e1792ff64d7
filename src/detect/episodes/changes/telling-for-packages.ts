/** Interactive command interpreters, by base name. */
const SHELLS: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'dash', 'zsh', 'ksh', 'csh', 'tcsh', 'fish', 'ash', 'busybox'],
  ...['cmd.exe', 'powershell.exe', 'pwsh.exe', 'pwsh'],
]);

/** Files that hold secrets of people or of the host. Packages neither bring nor read them. */
const CREDENTIALS =
  /(?:^|\/)(?:g?shadow-?|master\.passwd|spwd\.db|id_(?:rsa|dsa|ecdsa|ed<n>|ed25519)|\.netrc|\.pgpass|\.git-credentials|credentials(?:\.\w+)?|secrets?\.\w+|\.vault-token|ntds\.dit|login data|logins\.json|key<n>\.db|\.kube\/config|\.aws\/.*|\.gnupg\/.*)$|\/config\/(?:sam|security)$|lsass/i;

/** Relations by which data leaves the host or a connection is opened from it. */
const OUTBOUND = /connect|create|send/i;
/** Relations that reach into another process. */
const INTRUSIVE = /inject|create_thread|^access$|ptrace/i;

export function isShell(program: string): boolean {
  return SHELLS.has(program.slice(program.lastIndexOf('/') + 1).toLowerCase());
}

/** Whether a path, or its template, is that of a file with secrets. */
export function isCredential(path: string): boolean {
  return CREDENTIALS.test(path);
}

/** Whether a new act of a process is one that software never does while it is installed, nor right after. */
export function isTellingForPackages([kind, ...what]: readonly (string | number)[]): boolean {
  const relation = String(what[0]);
  switch (kind) {
    case 'net':
    case 'port':
      return OUTBOUND.test(relation);
    case 'rel':
      return what[1] === 'process' && INTRUSIVE.test(relation);
    case 'process':
      return INTRUSIVE.test(relation);
    case 'name':
      return isCredential(String(what[2]));
    default:
      return false;
  }
}
