/** The channels that collectors often write to the same file. Others share one reason, because logs choose their names. */
const KNOWN_CHANNELS: ReadonlySet<string> = new Set([
  'Application',
  'Security',
  'System',
  'Windows PowerShell',
  'PowerShellCore/Operational',
  'Microsoft-Windows-PowerShell/Operational',
  'Microsoft-Windows-WMI-Activity/Operational',
  'Microsoft-Windows-TaskScheduler/Operational',
  'Microsoft-Windows-Windows Defender/Operational',
  'Microsoft-Windows-Bits-Client/Operational',
  'Microsoft-Windows-DNS-Client/Operational',
  'Microsoft-Windows-TerminalServices-LocalSessionManager/Operational',
  'Microsoft-Windows-WinRM/Operational',
  'Microsoft-Windows-Windows Firewall With Advanced Security/Firewall',
]);

/** Returns the reason to skip a record of this channel. */
export function channelReason(channel: string): string {
  return KNOWN_CHANNELS.has(channel) ? `channel ${channel}` : 'other channels';
}
