const PROVIDER = '<Provider Name="Linux-Sysmon" Guid="{ff032593-a8d3-4f13-b0d6-01fc615a0f97}"/>';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Number, name and version of the events that Sysmon for Linux writes. */
export const EVENTS = {
  ProcessCreate: { id: 1, version: 5 },
  NetworkConnect: { id: 3, version: 5 },
  ServiceStateChange: { id: 4, version: 3 },
  ProcessTerminate: { id: 5, version: 3 },
  FileCreate: { id: 11, version: 2 },
  FileDelete: { id: 23, version: 5 },
} as const;

export type EventName = keyof typeof EVENTS;
export type Data = readonly (readonly [name: string, value: string | number])[];

/** Writes events as Sysmon for Linux does: one syslog line with one XML document each. */
export class EventXml {
  private record = 0;
  private day = '';
  private second = -1;
  private clock = '';
  private date = '';

  constructor(
    private readonly host: string,
    /** Process id of Sysmon itself. */
    private readonly pid: number,
  ) {}

  line(name: EventName, seconds: number, nanos: number, data: Data): string {
    const { id, version } = EVENTS[name];
    this.setSecond(seconds);
    const micros = String(1e6 + Math.floor(nanos / 1e3)).slice(1);
    const fields = data.map(([field, value]) => `<Data Name="${field}">${escapeXml(String(value))}</Data>`);
    return `${this.day} ${this.clock} ${this.host} sysmon: <Event><System>${PROVIDER}<EventID>${id}</EventID><Version>${version}</Version><Level>4</Level><Task>${id}</Task><Opcode>0</Opcode><Keywords>0x8000000000000000</Keywords><TimeCreated SystemTime="${this.date}T${this.clock}.${micros}000Z"/><EventRecordID>${this.record++}</EventRecordID><Correlation/><Execution ProcessID="${this.pid}" ThreadID="${this.pid}"/><Channel>Linux-Sysmon/Operational</Channel><Computer>${this.host}</Computer><Security UserId="0"/></System><EventData>${fields.join('')}</EventData></Event>\n`;
  }

  /** `UtcTime`: to the millisecond. */
  utcTime(seconds: number, nanos: number): string {
    this.setSecond(seconds);
    return `${this.date} ${this.clock}.${String(1000 + Math.floor(nanos / 1e6)).slice(1)}`;
  }

  private setSecond(seconds: number): void {
    if (seconds === this.second) return;
    this.second = seconds;
    const time = new Date(seconds * 1000);
    const iso = time.toISOString();
    this.date = iso.slice(0, 10);
    this.clock = iso.slice(11, 19);
    this.day = `${MONTHS[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)}`;
  }
}

function escapeXml(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}
