// The page docs/reference/cli.md: the help of every command, as the program prints it.
import { commands } from '../../dist/cli/commands.js';
import { parseCommandLine } from '../../dist/cli/parse.js';

export const path = 'docs/reference/cli.md';

const helpOf = async (...words) =>
  (await parseCommandLine([...words, '--help'], commands, '')).text.trimEnd();

export async function render() {
  const sections = [];
  for (const { name } of commands) {
    sections.push(`## recal ${name}\n\n\`\`\`text\n${withoutGlobals(await helpOf(name))}\n\`\`\``);
  }
  return [
    '# Command line',
    'The help of every command, as `recal COMMAND --help` prints it. Global options are listed once.',
    `\`\`\`text\n${await helpOf()}\n\`\`\``,
    ...sections,
    '',
  ].join('\n\n');
}

/** Drops the section that is the same for every command. */
function withoutGlobals(help) {
  return help.replace(/\n\nGlobal Options:\n(?: .*\n)*/, '\n');
}
