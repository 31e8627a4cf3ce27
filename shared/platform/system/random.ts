import { randomBytes, randomUUID } from 'node:crypto'
import type { RandomPort } from '../../ports/system.ts'

/** Creates the port for random values over the operating system. */
export function createSystemRandom(): RandomPort {
  return {
    uuid: () => randomUUID(),
    bytes: count => new Uint8Array(randomBytes(count)),
  }
}
