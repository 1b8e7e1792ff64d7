import { readFileSync, writeFileSync } from 'node:fs';

/** Resets the peak of this process's memory. Returns false where the system cannot: only Linux can. */
export function resetPeakMemory(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return true;
  } catch {
    return false;
  }
}

/** The most memory that this process has used, in bytes, since the last reset where the system can reset it. */
export function peakMemory(): number {
  try {
    const found = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (found !== null) return 1024 * Number(found[1]);
  } catch {
    // Not Linux.
  }
  return 1024 * process.resourceUsage().maxRSS;
}
