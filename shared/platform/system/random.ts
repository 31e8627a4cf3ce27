import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'
import type { RandomPort } from '../../ports/system.ts'

/** Number of bytes that the operating system is asked for at once. */
const poolBytes = 4_096

/** Creates the port for random values over the operating system. */
export function createSystemRandom(): RandomPort {
  const pool = new Uint8Array(poolBytes)
  let usedBytes = poolBytes
  return {
    uuid: () => randomUUID(),
    /** Each registration needs few bytes, and a request to the system takes as long for many. */
    bytes(count) {
      if (count > poolBytes) return new Uint8Array(randomBytes(count))
      if (usedBytes + count > poolBytes) {
        randomFillSync(pool)
        usedBytes = 0
      }
      const end = usedBytes + count
      const bytes = pool.slice(usedBytes, end)
      // A later reader of the memory must not find a value that was given out.
      pool.fill(0, usedBytes, end)
      usedBytes = end
      return bytes
    },
  }
}
