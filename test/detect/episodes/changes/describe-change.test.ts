import { expect, test } from 'vitest';
import { phraseChange } from '../../../../src/detect/episodes/changes/describe-change.js';
import { isPackageManager } from '../../../../src/detect/episodes/changes/package-managers.js';
import { parseCommand } from '../../../../src/detect/episodes/changes/parse-command.js';

test.each([
  ['dpkg -i labtool_1.0_all.deb', ['labtool'], 'installed'],
  ['apt-get install -y --no-install-recommends nginx=1.24-1 curl', ['nginx', 'curl'], 'installed'],
  ['apt-get upgrade -y', [], 'upgraded'],
  ['/usr/bin/pip3 install requests==2.31', ['requests'], 'installed'],
  ['npm install @scope/left-pad@1.0.0', ['left-pad'], 'installed'],
  ['msiexec /i C:\\Users\\a\\setup-2.1.msi', ['setup'], 'installed'],
  ['rpm -U /root/tool-2.3-1.x86_64.rpm', ['tool'], 'upgraded'],
  ['', [], undefined],
])('reads %s', (command, packages, action) => {
  expect(parseCommand(command)).toEqual({ packages, action });
});

test.each([
  ['/usr/bin/apt-get', true],
  ['pkg', true],
  ['/usr/bin/pip<v>', true],
  ['c:/windows/servicing/trustedinstaller.exe', true],
  ['/tmp/apt-get', false],
  ['c:/users/anna/downloads/msiexec.exe', false],
  ['/usr/bin/python<v>', false],
])('%s installs software: %s', (program, expected) => {
  expect(isPackageManager(program)).toBe(expected);
});

test('names a change in the terms of the log', () => {
  expect(phraseChange({ manager: 'apt-get', packages: ['nginx'], action: 'upgraded', newPrograms: 14 })).toBe(
    'Software change: `apt-get` upgraded `nginx` (14 new programs)',
  );
  expect(phraseChange({ manager: 'pkg', packages: [], action: 'changed software', newPrograms: 0 })).toBe(
    'Software change: `pkg` changed software',
  );
});
