import type { Random } from '../../base/random.js';
import { MINUTE, SECOND } from '../calendar.js';
import { publicAddress, type World } from '../hosts/world.js';
import type { FileNode, Process, SimEntity } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import type { LabelCollector } from '../labels.js';
import type { TimeSpan } from '../timeline.js';

/** The programs and files of a host that attacks use. */
export interface Surface {
  readonly shell: string;
  /** Reconnaissance programs, which also run on a normal day. */
  readonly recon: readonly string[];
  /** Account files that attacks edit. */
  readonly accounts: readonly string[];
  /** Files that attacks steal; `~` is a home directory. */
  readonly secrets: readonly string[];
  /** Implant paths with a known directory and program name. */
  readonly mimics: readonly string[];
  /** Implant paths that look ordinary but are not known. */
  readonly plausible: readonly string[];
  readonly uploader: string;
  readonly archiver: string;
  /** First three octets of the local network. */
  readonly network: string;
}

export interface AttackPlan {
  readonly name: string;
  /** Uses only programs that the host already runs. */
  readonly livingOffTheLand?: boolean;
  steps(attack: Attack): Steps;
}

export interface AttackOptions {
  readonly id: string;
  readonly plan: AttackPlan;
  readonly world: World;
  readonly random: Random;
  readonly surface: Surface;
  readonly stealth: number;
  /** The attack happens within this span. */
  readonly span: TimeSpan;
  readonly labels: LabelCollector;
  /** Flows of a scan at stealth 0. */
  readonly fullScan: number;
  /** At most 1; smaller in small simulations, so that an attack stays a small part of all events. */
  readonly size: number;
  /** Start of the test. An attack takes over only processes that start later, so that labels are in the test only. */
  readonly testFrom: number;
}

/** A running attack: its pace, its disguise and its labels. */
export class Attack {
  /** The current step, which becomes the reason of every label. */
  private reason = '';
  private scanning = false;
  /** True while the victim acts; new entities then get no label. */
  private victimActs = false;
  events = 0;
  first = -1;
  last = -1;
  scanFlows = 0;
  readonly journal: string[] = [];
  readonly droppedPrograms: string[] = [];
  /** Command-and-control address. */
  readonly c2: string;

  readonly id: string;
  readonly plan: AttackPlan;
  readonly world: World;
  readonly random: Random;
  readonly surface: Surface;
  readonly stealth: number;

  constructor(private readonly options: AttackOptions) {
    this.id = options.id;
    this.plan = options.plan;
    this.world = options.world;
    this.random = options.random;
    this.surface = options.surface;
    this.stealth = options.stealth;
    this.c2 = publicAddress(options.random);
  }

  // --- labels

  /** Starts the next step of the attack. */
  step(reason: string): void {
    this.reason = reason;
    this.journal.push(reason);
  }

  created(entity: SimEntity): void {
    if (this.victimActs) return;
    if (this.scanning) {
      this.scanFlows++;
      this.options.labels.addScan(entity);
    } else {
      this.options.labels.add(entity, this.id, 'core', this.reason);
    }
  }

  recorded(at: number): void {
    if (this.first < 0) this.first = at;
    this.last = at;
    this.events++;
  }

  /** Labels an entity that the attacker now controls. */
  markCore<T extends SimEntity>(entity: T): T {
    this.options.labels.add(entity, this.id, 'core', this.reason);
    return entity;
  }

  /** The process that `find` returns, restarted by its user if it started before the test. */
  startedInTest(find: () => Process): Process {
    this.victimActs = true;
    let found = find();
    if (found.startedAt < this.options.testFrom) {
      this.world.machine.exit(found);
      found = find();
    }
    this.victimActs = false;
    return found;
  }

  /** Labels an entity that existed before and that the attack changes or uses. */
  markTouched(entity: SimEntity): void {
    this.options.labels.add(entity, this.id, 'touched', this.reason);
  }

  // --- stealth

  /** The wait between steps: seconds at stealth 0, minutes at stealth 1, never beyond the span. */
  pause(weight = 1): number {
    const left = this.options.span.until - this.world.machine.now;
    const wanted = this.random.exponential(weight * (4 * SECOND + this.stealth ** 2 * 12 * MINUTE));
    return Math.max(50e6, Math.min(wanted, left * 0.08));
  }

  /** Scales a count at stealth 0 to the stealth and size of this attack. */
  scaleByStealth(loud: number): number {
    return this.scaleBySize(loud * (1 - 0.85 * this.stealth));
  }

  scaleBySize(count: number): number {
    return Math.max(1, Math.round(count * this.options.size));
  }

  /** The path of an implant: with more stealth a random name in /tmp, an ordinary name, or the name of a known program. */
  private implantPath(): string {
    const { random, stealth, surface } = this;
    if (stealth < 0.34) return `/tmp/${randomName(random)}`;
    return random.pick(stealth < 0.67 ? surface.plausible : surface.mimics);
  }

  // --- steps of several attacks

  /** Writes a static binary to disk and makes it executable. */
  dropImplant(by: Process): FileNode {
    const { machine } = this.world;
    const file = machine.writeFile(by, this.implantPath(), this.random.between(4, 9));
    machine.call('changeMode', by, file);
    machine.programs.install({ [file.name]: file.name });
    this.droppedPrograms.push(file.name);
    return file;
  }

  /** Exchanges messages with the command-and-control server. */
  *beacon(process: Process, port: number, beats: number): Steps {
    const { machine } = this.world;
    const flow = machine.connect(process, this.c2, port);
    for (let i = 0; i < beats; i++) {
      machine.call('sendTo', process, flow, this.random.between(60, 300));
      yield 30e6 + this.random.below(200e6);
      machine.call('receiveFrom', process, flow, this.random.between(60, 1_400));
      yield this.pause(0.5);
    }
    machine.call('close', process, flow);
  }

  /** Reads files that may hold a password; the stealthier the attack, the fewer. */
  *searchForSecrets(process: Process): Steps {
    const { machine } = this.world;
    const count = Math.round(SECRET_PATHS.length * (1 - this.stealth) ** 3);
    for (const path of this.random.shuffled(SECRET_PATHS).slice(0, count)) {
      machine.readFile(process, path, 1);
      yield this.pause(0.05);
    }
  }

  /** Scans ports of the local network, one flow each. */
  *scan(process: Process): Steps {
    const { machine } = this.world;
    const count = Math.max(40, Math.round(this.options.fullScan * (1 - 0.85 * this.stealth)));
    this.step('port scan');
    this.scanning = true;
    for (let i = 0; i < count; i++) {
      const host = 2 + (Math.floor(i / 100) % 60);
      const flow = machine.connect(process, `${this.surface.network}.${host}`, 1 + ((i * 37) % 1_024));
      machine.call('close', process, flow);
      yield 2e6 + this.random.below(20e6);
    }
    this.scanning = false;
  }
}

/** Files that an attacker who does not know the host tries first. */
const SECRET_PATHS = [
  '/etc',
  '/root',
  '/opt',
  '/srv',
  '/usr/local/etc',
  '/var/db',
  '/var/backups',
  '/boot',
].flatMap((folder) =>
  ['shadow', 'credentials', 'id_rsa', 'htpasswd', 'settings.ini', 'secrets.yml'].map(
    (name) => `${folder}/${name}`,
  ),
);

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function randomName(random: Random): string {
  return Array.from({ length: 7 }, () => LETTERS[random.below(LETTERS.length)]).join('');
}
