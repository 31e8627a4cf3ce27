import type { DeployResult } from '../../shared/engine/request.ts'
import type { Display, DisplayOptions } from '../tools.ts'

/** Prints events as JSON lines. */
export function createDisplay(options: DisplayOptions): Display {
  let sequence = 0
  return {
    emit(event) {
      sequence += 1
      const line = JSON.stringify({ sequence, timestamp: Math.floor(Date.now() / 1000), ...event })
      options.stdout.write(`${line}\n`)
    },
    finish(_result: DeployResult) {},
  }
}
