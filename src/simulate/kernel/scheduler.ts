/**
 * The actions of a simulated program as a coroutine: it makes calls, then yields how many nanoseconds it waits. Calls
 * without a yield between them have the same timestamp, like most events of real traces.
 */
export type Steps = Generator<number, void, undefined>;

/** Called before and after each step of a task. */
export interface TaskObserver {
  resume(): void;
  pause(finished: boolean): void;
}

interface Task {
  at: number;
  readonly order: number;
  readonly steps: Steps;
  readonly observer: TaskObserver | undefined;
}

/** Runs tasks in order of time; ties run in order of their start. */
export class Scheduler {
  private readonly heap: Task[] = [];
  private started = 0;
  now = 0;

  start(at: number, steps: Steps, observer?: TaskObserver): void {
    this.push({ at: Math.max(Math.floor(at), this.now), order: this.started++, steps, observer });
  }

  /** Runs every step due before `until`, then sets the clock to `until`. */
  runUntil(until: number): void {
    const heap = this.heap;
    while (heap.length > 0 && (heap[0] as Task).at < until) {
      const task = heap[0] as Task;
      if (task.at > this.now) this.now = task.at;
      task.observer?.resume();
      const step = task.steps.next();
      task.observer?.pause(step.done === true);
      if (step.done) {
        this.pop();
      } else {
        task.at = Math.floor(this.now + step.value);
        this.sink(0);
      }
    }
    if (until > this.now) this.now = until;
  }

  private push(task: Task): void {
    const heap = this.heap;
    let index = heap.length;
    heap.push(task);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(task, heap[parent] as Task)) break;
      heap[index] = heap[parent] as Task;
      index = parent;
    }
    heap[index] = task;
  }

  private pop(): void {
    const last = this.heap.pop() as Task;
    if (this.heap.length === 0) return;
    this.heap[0] = last;
    this.sink(0);
  }

  private sink(start: number): void {
    const heap = this.heap;
    const task = heap[start] as Task;
    let index = start;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Task, heap[child] as Task)) child++;
      if (!before(heap[child] as Task, task)) break;
      heap[index] = heap[child] as Task;
      index = child;
    }
    heap[index] = task;
  }
}

function before(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
