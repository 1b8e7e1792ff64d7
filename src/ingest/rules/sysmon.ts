interface SysmonRule {
  readonly element: string;
  readonly id: string;
  readonly comments: readonly string[];
  /** Conditions of events to leave out. */
  readonly without?: readonly string[];
  /** Conditions of the only events to record. */
  readonly only?: readonly string[];
}

const RULES: readonly SysmonRule[] = [
  {
    element: 'ProcessCreate',
    id: '1',
    comments: ['Processes: who started what, with the command line. Cost: under 1 %.'],
  },
  {
    element: 'FileCreateTime',
    id: '2',
    comments: ['Changed file creation times. Cost: under 1 %.'],
  },
  {
    element: 'NetworkConnect',
    id: '3',
    comments: ['Connections, with their process. Cost: under 1 %; more on servers.'],
  },
  { element: 'ProcessTerminate', id: '5', comments: ['Ends of processes. Cost: under 1 %.'] },
  { element: 'DriverLoad', id: '6', comments: ['Drivers. Cost: a few at every start of Windows.'] },
  {
    element: 'ImageLoad',
    id: '7',
    comments: [
      'Libraries. Cost: 10 to 17 % without a condition. This one leaves out what Windows loads for every program;',
      'remove it for full detail.',
    ],
    without: ['<Signature condition="is">Microsoft Windows</Signature>'],
  },
  {
    element: 'CreateRemoteThread',
    id: '8',
    comments: ['Threads in other processes: injection. Cost: few events.'],
  },
  { element: 'RawAccessRead', id: '9', comments: ['Reading the raw disk. Cost: few events.'] },
  {
    element: 'ProcessAccess',
    id: '10',
    comments: [
      'Opening other processes. Cost: 63 to 81 % without conditions. These keep access to lsass.exe, and rights to read or',
      'write memory and to make threads.',
    ],
    only: [
      '<TargetImage condition="image">lsass.exe</TargetImage>',
      '<GrantedAccess condition="is">0x1fffff</GrantedAccess>',
      '<GrantedAccess condition="is">0x1f3fff</GrantedAccess>',
      '<GrantedAccess condition="is">0x143a</GrantedAccess>',
      '<GrantedAccess condition="is">0x1410</GrantedAccess>',
      '<GrantedAccess condition="is">0x1010</GrantedAccess>',
    ],
  },
  { element: 'FileCreate', id: '11', comments: ['Files that are created. Cost: under 1 %.'] },
  {
    element: 'RegistryEvent',
    id: '12 to 14',
    comments: ['The registry. Cost: 5 to 14 %. Leave out keys that change all the time on your hosts.'],
  },
  {
    element: 'FileCreateStreamHash',
    id: '15',
    comments: ['Alternate streams, such as the mark of downloads.'],
  },
  { element: 'PipeEvent', id: '17 and 18', comments: ['Named pipes. Cost: 1 to 3 %.'] },
  {
    element: 'WmiEvent',
    id: '19 to 21',
    comments: ['WMI subscriptions, which intruders use to stay on a host. Cost: nothing.'],
  },
  {
    element: 'DnsQuery',
    id: '22',
    comments: ['Names that processes look up. Cost: under 1 %; more with a browser.'],
  },
  {
    element: 'FileDeleteDetected',
    id: '26',
    comments: ['Deleted files, without keeping a copy. Cost: under 1 %.'],
  },
  { element: 'ProcessTampering', id: '25', comments: ['Replaced process images. Cost: few events.'] },
];

function ruleLines({ element, id, comments, without = [], only }: SysmonRule): string[] {
  const onmatch = only === undefined ? 'exclude' : 'include';
  const conditions = only ?? without;
  return [
    '    <RuleGroup name="" groupRelation="or">',
    `      <!-- ${id}: ${comments.join('\n           ')} -->`,
    conditions.length === 0
      ? `      <${element} onmatch="${onmatch}"/>`
      : [
          `      <${element} onmatch="${onmatch}">`,
          ...conditions.map((condition) => `        ${condition}`),
          `      </${element}>`,
        ].join('\n'),
    '    </RuleGroup>',
  ];
}

/** A configuration for Sysmon. A rule with onmatch="exclude" and no condition records every event. */
export const SYSMON_RULES = [
  '<!--',
  '  What Sysmon records for RECAL. A rule with onmatch="exclude" and no condition records everything of its kind.',
  '',
  '  Install: sysmon64.exe -accepteula -i recal-sysmon.xml      Change: sysmon64.exe -c recal-sysmon.xml',
  '  Linux:   sysmon -accepteula -i recal-sysmon.xml            (it has events 1, 3, 4, 5, 9, 11, 16 and 23 only)',
  '  Remove:  sysmon64.exe -u',
  '',
  '  An existing configuration is replaced. RECAL also reads logs of other configurations. It does not see what they leave',
  '  out, and a model fits only logs of the same configuration.',
  '  Costs are shares of 119,640 events of three Windows 10 workstations that recorded nearly everything (about 120 a',
  '  second). Events 4, 16 and 255 are always recorded; RECAL shows 255 as loss.',
  '  Not yet loaded into a running Sysmon: the elements follow its schema 4.90.',
  '-->',
  '<Sysmon schemaversion="4.90">',
  '  <HashAlgorithms>sha256</HashAlgorithms>',
  '  <CheckRevocation>False</CheckRevocation>',
  '  <EventFiltering>',
  ...RULES.flatMap(ruleLines),
  '  </EventFiltering>',
  '</Sysmon>',
  '',
].join('\n');
