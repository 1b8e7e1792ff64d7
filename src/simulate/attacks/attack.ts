import type { Random } from '../../base/random.js';
import { MINUTE, SECOND } from '../calendar.js';
import { publicAddress, type World } from '../hosts/world.js';
import type { FileNode, Process, SimEntity } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import type { LabelBook } from '../labels.js';
import type { Slot } from '../timeline.js';

/** What an intruder finds on a host. */
export interface Surface {
  readonly shell: string;
  /** Programs that tell an intruder where he is; all run on a normal day. */
  readonly recon: readonly string[];
  /** Account files worth editing. */
  readonly accounts: readonly string[];
  /** Files worth stealing, `~` being a home directory. */
  readonly secrets: readonly string[];
  /** Paths at which an implant would not be noticed: known directory, known program name. */
  readonly mimics: readonly string[];
  /** Paths that look like something, without being known. */
  readonly plausible: readonly string[];
  readonly uploader: string;
  readonly archiver: string;
  /** First three octets of the local network. */
  readonly network: string;
}

export interface AttackPlan {
  readonly name: string;
  /** Uses nothing but programs that the host runs anyway. */
  readonly livingOffTheLand?: boolean;
  steps(attack: Attack): Steps;
}

export interface AttackSetting {
  readonly id: string;
  readonly plan: AttackPlan;
  readonly world: World;
  readonly random: Random;
  readonly surface: Surface;
  readonly stealth: number;
  /** When it may happen. */
  readonly slot: Slot;
  readonly book: LabelBook;
  /** Flows of a loud scan in a world of this size. */
  readonly fullScan: number;
  /** At most 1: in a small world an attack of full size would be a large part of all that happens. */
  readonly size: number;
  /** Start of the test period: nothing older may come into the intruder's hands, or labels would reach back. */
  readonly since: number;
}

/** One attack under way: its pace, its disguise, and the account it keeps of itself for the labels. */
export class Attack {
  /** What the intruder is doing now: the reason given for every entity made meanwhile. */
  private reason = '';
  private scanning = false;
  /** What the victim does by himself meanwhile is not the intruder's. */
  private innocent = false;
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

  constructor(private readonly setting: AttackSetting) {
    this.id = setting.id;
    this.plan = setting.plan;
    this.world = setting.world;
    this.random = setting.random;
    this.surface = setting.surface;
    this.stealth = setting.stealth;
    this.c2 = publicAddress(setting.random);
  }

  // --- the account

  /** Says what comes next. */
  step(reason: string): void {
    this.reason = reason;
    this.journal.push(reason);
  }

  created(entity: SimEntity): void {
    if (this.innocent) return;
    if (this.scanning) {
      this.scanFlows++;
      this.setting.book.addScan(entity);
    } else {
      this.setting.book.add(entity, this.id, 'core', this.reason);
    }
  }

  recorded(at: number): void {
    if (this.first < 0) this.first = at;
    this.last = at;
    this.events++;
  }

  /** Something that was there before and is now in the intruder's hands. */
  seize<T extends SimEntity>(entity: T): T {
    this.setting.book.add(entity, this.id, 'core', this.reason);
    return entity;
  }

  /** The process that `find` yields, restarted by its user if it has been running since before the test. */
  fresh(find: () => Process): Process {
    this.innocent = true;
    let found = find();
    if (found.startedAt < this.setting.since) {
      this.world.machine.exit(found);
      found = find();
    }
    this.innocent = false;
    return found;
  }

  touch(entity: SimEntity): void {
    this.setting.book.add(entity, this.id, 'touched', this.reason);
  }

  // --- the dial

  /** Waits between steps: seconds for the careless, many minutes for the patient, never beyond the window. */
  pause(weight = 1): number {
    const left = this.setting.slot.until - this.world.machine.now;
    const wanted = this.random.exponential(weight * (4 * SECOND + this.stealth ** 2 * 12 * MINUTE));
    return Math.max(50e6, Math.min(wanted, left * 0.08));
  }

  /** How many of something a patient intruder does, given what a careless one would do. */
  fewer(loud: number): number {
    return this.sized(loud * (1 - 0.85 * this.stealth));
  }

  sized(count: number): number {
    return Math.max(1, Math.round(count * this.setting.size));
  }

  /** Where an implant is put: a random name in /tmp, a plausible one, or the name of a program the host has. */
  disguise(): string {
    const { random, stealth, surface } = this;
    if (stealth < 0.34) return `/tmp/${randomName(random)}`;
    return random.pick(stealth < 0.67 ? surface.plausible : surface.mimics);
  }

  // --- what several attacks do

  /** Writes a static binary to disk and makes it executable. */
  drop(by: Process): FileNode {
    const { machine } = this.world;
    const file = machine.store(by, this.disguise(), this.random.between(4, 9));
    machine.call('changeMode', by, file);
    machine.programs.install({ [file.name]: file.name });
    this.droppedPrograms.push(file.name);
    return file;
  }

  /** A conversation with the command-and-control server. */
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

  /** The careless go through everything that might hold a password; the patient know where to look. */
  *rummage(process: Process): Steps {
    const { machine } = this.world;
    const count = Math.round(LOOT.length * (1 - this.stealth) ** 3);
    for (const path of this.random.shuffled(LOOT).slice(0, count)) {
      machine.glance(process, path, 1);
      yield this.pause(0.05);
    }
  }

  /** Tries ports of the neighbours, one flow each. */
  *scan(process: Process): Steps {
    const { machine } = this.world;
    const count = Math.max(40, Math.round(this.setting.fullScan * (1 - 0.85 * this.stealth)));
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

/** Where an intruder who does not know the host looks first. */
const LOOT = ['/etc', '/root', '/opt', '/srv', '/usr/local/etc', '/var/db', '/var/backups', '/boot'].flatMap(
  (folder) =>
    ['shadow', 'credentials', 'id_rsa', 'htpasswd', 'settings.ini', 'secrets.yml'].map(
      (name) => `${folder}/${name}`,
    ),
);

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function randomName(random: Random): string {
  return Array.from({ length: 7 }, () => LETTERS[random.below(LETTERS.length)]).join('');
}
