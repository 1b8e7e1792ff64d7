import type { Incident } from '../../detect/alerts/alert.js';

type Act = NonNullable<Incident['episode']>['acts'][number];

/** The command line to show with each act: each once, and none that is only the name of a program. */
export function actCommands(acts: readonly Act[]): (string | undefined)[] {
  const shown = new Set<string>();
  return acts.map(({ command }) => {
    if (command === null || shown.has(command) || !/\S\s+\S/.test(command.replaceAll(/"[^"]*"/g, '_')))
      return undefined;
    shown.add(command);
    return command;
  });
}
