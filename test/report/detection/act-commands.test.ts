import { expect, test } from 'vitest';
import { actCommands } from '../../../src/report/detection/act-commands.js';

test('shows each command line once, and none without arguments', () => {
  const act = (command: string | null) => ({
    at: null,
    what: 'x',
    command,
    surprise: 1,
    main: false,
    usual: null,
  });
  const commands = [
    'tar cf /tmp/x /srv',
    null,
    'tar cf /tmp/x /srv',
    'bash',
    '"C:\\Program Files\\a.exe" ',
    'a -b',
  ];
  expect(actCommands(commands.map(act))).toEqual([
    'tar cf /tmp/x /srv',
    undefined,
    undefined,
    undefined,
    undefined,
    'a -b',
  ]);
});
