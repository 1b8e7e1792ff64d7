// The k smallest squared distances found so far, ascending, float32. Empty places hold FAR.

/** Farther than any point and nearer than the padding of blocks. */
export const FAR: f32 = 1e29;

export function clearList(list: usize, k: usize): void {
  for (let i: usize = 0; i < k; i++) store<f32>(list + (i << 2), FAR);
}

/** Inserts `copies` of a value into the list. */
export function insertCopies(list: usize, k: usize, value: f32, copies: u32): void {
  for (let c: u32 = 0; c < copies; c++) {
    let at = list + ((k - 1) << 2);
    if (!(value < load<f32>(at))) return;
    while (at > list && load<f32>(at - 4) > value) {
      store<f32>(at, load<f32>(at - 4));
      at -= 4;
    }
    store<f32>(at, value);
  }
}

// @ts-ignore: decorator
@inline export function worstOf(list: usize, k: usize): f32 {
  return load<f32>(list + ((k - 1) << 2));
}

/** An upper bound of the mean of the k smallest distances. */
export function upperMean(list: usize, k: usize, relative: f64, absolute: f64): f64 {
  let sum: f64 = 0;
  for (let i: usize = 0; i < k; i++) {
    sum += sqrt<f64>(<f64>load<f32>(list + (i << 2))) * (1 + relative) + absolute;
  }
  return sum / <f64>k;
}

/** A lower bound of that mean, if all unvisited points are at least `unseen` away. */
export function lowerMean(list: usize, k: usize, unseen: f64, relative: f64, absolute: f64): f64 {
  let sum: f64 = 0;
  for (let i: usize = 0; i < k; i++) {
    const found = sqrt<f64>(<f64>load<f32>(list + (i << 2))) * (1 - relative);
    sum += max<f64>(0, min<f64>(found, unseen) - absolute);
  }
  return sum / <f64>k;
}
