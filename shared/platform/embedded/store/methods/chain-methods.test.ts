import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChainMessage, Delivery } from '../../../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../../../records/ids.ts'
import { type Database, openDatabase } from '../database.ts'
import { chainMethods } from './chain-methods.ts'

let folder: string
let database: Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-chains-'))
  database = openDatabase(join(folder, 'db'))
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

const deployment = 'o/p/s/1' as DeploymentId

function sendMessages(count: number): void {
  const messages = Array.from(
    { length: count },
    (_, n): ChainMessage => ({
      deployment,
      operations: [n as OperationId],
    }),
  )
  chainMethods['chains.send'].run(database, { messages })
}

let takeCount = 0
function takeOne(): Delivery | undefined {
  const [delivery] = chainMethods['chains.take'].run(database, {
    deployment,
    pool: null,
    max: 64,
    visibilityMs: 60_000,
    receipt: `executor/${takeCount++}`,
    operationsMax: 1,
  })
  return delivery
}

/** Returns the shortest time of a receive and a removal, in ms. */
function measureReceive(): number {
  let shortestMs = Number.POSITIVE_INFINITY
  for (let n = 0; n < 100; n++) {
    const startMs = performance.now()
    const delivery = takeOne()
    chainMethods['chains.remove'].run(database, { receipt: delivery?.receipt ?? '' })
    shortestMs = Math.min(shortestMs, performance.now() - startMs)
    expect(delivery?.message.operations).toHaveLength(1)
  }
  return shortestMs
}

test('the time of a receive with a delivery limit does not grow with the waiting messages', () => {
  sendMessages(500)
  const fewMs = measureReceive()
  sendMessages(50_000)
  expect(measureReceive()).toBeLessThan(10 * fewMs)
})
