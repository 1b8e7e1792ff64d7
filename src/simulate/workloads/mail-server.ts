import type { Random } from '../../base/random.js';
import { millis, publicAddress, type World } from '../hosts/world.js';
import type { Process } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';

const SPOOL = '/var/spool/postfix';

/** The postfix master starts a helper, which runs as its own user. */
function startHelper(world: World, program: string): Process {
  const { machine } = world;
  const process = machine.spawn(world.daemon('postfix master'), program, '-t unix');
  machine.changeUser(process, world.user('postfix'));
  for (let i = 0; i < 3; i++) machine.call('control', process);
  return process;
}

/** Sends a request over a private UNIX socket of postfix. */
function ask(world: World, process: Process, service: string): void {
  const { machine } = world;
  const socket = machine.connectLocal(process, `${SPOOL}/private/${service}`);
  machine.call('writeSocket', process, socket, 120);
  machine.call('readSocket', process, socket, 60);
  machine.call('close', process, socket);
}

/** Receives a message by SMTP, queues it, delivers or forwards it, and sometimes bounces it. */
export function* receiveMail(world: World, random: Random): Steps {
  const { machine } = world;
  const smtpd = startHelper(world, 'smtpd');
  const flow = machine.accept(smtpd, 25, random.chance(0.5) ? '10.0.4.25' : publicAddress(random));
  for (let i = random.between(3, 6); i > 0; i--) {
    machine.call('readSocket', smtpd, flow, random.between(20, 2_000));
    machine.call('writeSocket', smtpd, flow, 40);
    yield millis(random, 60);
  }
  yield* queueMessage(world, random, startHelper(world, 'cleanup'));
  machine.call('close', smtpd, flow);
  machine.exit(smtpd);
}

/** Sends a mail from this host: sendmail, postdrop, pickup. */
export function* sendMail(world: World, random: Random, from: Process): Steps {
  const { machine } = world;
  const sendmail = machine.spawn(from, 'sendmail', '-t');
  const postdrop = machine.spawn(sendmail, 'postdrop', '-r');
  const file = machine.writeFile(postdrop, `${SPOOL}/maildrop/${queueId(random)}`, 2, true);
  machine.exit(postdrop);
  machine.exit(sendmail);
  yield millis(random, 300);
  const pickup = world.daemon('postfix pickup');
  machine.call('open', pickup, file);
  machine.call('read', pickup, file, 900);
  machine.unlink(pickup, file);
  yield* queueMessage(world, random, startHelper(world, 'cleanup'));
}

function* queueMessage(world: World, random: Random, cleanup: Process): Steps {
  const { machine } = world;
  const id = queueId(random);
  ask(world, cleanup, 'rewrite');
  const rewrite = random.chance(0.3) ? startHelper(world, 'trivial-rewrite') : undefined;
  const file = machine.writeFile(cleanup, `${SPOOL}/incoming/${id}`, 3, true);
  machine.call('changeMode', cleanup, file);
  machine.exit(cleanup);
  yield millis(random, 40);
  if (rewrite) machine.exit(rewrite);
  const qmgr = world.daemon('postfix qmgr');
  machine.rename(qmgr, file, `${SPOOL}/active/${id}`);
  machine.call('open', qmgr, file);
  machine.call('read', qmgr, file, 800);
  machine.call('seek', qmgr, file);
  machine.call('close', qmgr, file);
  if (random.chance(0.1)) machine.call('changeTimes', qmgr, file);
  yield* deliver(world, random, id);
  machine.append(world.daemon('syslogd'), '/var/log/maillog');
  machine.unlink(qmgr, file);
}

function* deliver(world: World, random: Random, id: string): Steps {
  const { machine } = world;
  const outbound = random.chance(0.4);
  const agent = startHelper(world, outbound ? 'smtp' : 'local');
  ask(world, agent, 'rewrite');
  if (outbound) {
    const flow = machine.connect(agent, publicAddress(random), 25);
    for (let i = 4; i > 0; i--) {
      machine.call('writeSocket', agent, flow, random.between(20, 3_000));
      machine.call('readSocket', agent, flow, 50);
    }
    yield millis(random, 400);
    machine.call('close', agent, flow);
  } else {
    const mailbox = machine.files.get(`/var/mail/${random.pick(world.people).name}`);
    machine.call('openForWriting', agent, mailbox);
    machine.call('seek', agent, mailbox);
    machine.call('write', agent, mailbox, random.between(500, 9_000));
    machine.call('close', agent, mailbox);
  }
  if (random.chance(0.12)) {
    const bounce = startHelper(world, 'bounce');
    const note = machine.writeFile(bounce, `${SPOOL}/defer/${id}`, 1, true);
    machine.unlink(bounce, note);
    machine.exit(bounce);
  }
  machine.exit(agent);
}

function queueId(random: Random): string {
  return (
    random.u32().toString(16).toUpperCase().padStart(8, '0') + random.below(4096).toString(16).toUpperCase()
  );
}
