import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createChainQueue } from '../../shared/platform/embedded/chain-queue.ts'
import { createNotifications } from '../../shared/platform/embedded/notifications.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
  createEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import { createKeyFileSealing } from '../../shared/platform/embedded/key-file-sealing.ts'
import { type Store, openStore } from '../../shared/platform/embedded/store/store.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { defineAuditContract } from './audit.ts'
import { defineBlobsContract } from './blobs.ts'
import { defineCatalogContract } from './catalog.ts'
import { defineChainQueueContract } from './chain-queue.ts'
import { defineControlContract, defineLeasesContract } from './control.ts'
import { defineDecisionLogContract } from './decision-log.ts'
import { defineDocumentsContract } from './documents.ts'
import { defineEventsContract } from './events.ts'
import { defineMarksContract, defineSealingContract } from './marks.ts'
import { defineNotificationsContract } from './notifications.ts'
import { defineHintsContract, defineNudgesContract } from './nudges.ts'
import {
  toExecutorId,
  createDeploymentId,
  contractHolder,
  type OpenAdapter,
  type AdapterHandle,
  toOperationId,
} from './open-adapter.ts'
import { defineOperationModelContract } from './operation-model.ts'
import { defineOperationTransitionsContract } from './operation-transitions.ts'
import { defineOperationsContract } from './operations.ts'
import { defineRequestsContract } from './requests.ts'
import { defineRetentionContract } from './retention.ts'
import { defineStackRenamesContract } from './stack-renames.ts'
import { defineStopContract } from './stop.ts'
import { defineArchivesContract } from './archives.ts'
import { defineBlobSweepContract } from './blob-sweep.ts'

function createHome(): string {
  return mkdtempSync(join(tmpdir(), 'antichain-contract-'))
}

function createHandle(
  home: string,
  ...platforms: readonly EmbeddedPlatform[]
): AdapterHandle<EmbeddedPlatform> {
  const [first] = platforms
  if (first === undefined) throw new Error('no platform is open')
  return {
    ports: first,
    close: async () => {
      for (const platform of platforms) await platform.close()
      rmSync(home, { recursive: true })
    },
  }
}

const openAsOwner: OpenAdapter<EmbeddedPlatform> = async () => {
  const home = createHome()
  return createHandle(home, await openEmbeddedPlatform({ home }))
}

const openOverSocket: OpenAdapter<EmbeddedPlatform> = async () => {
  const home = createHome()
  const owner = await openEmbeddedPlatform({ home })
  return createHandle(home, await openEmbeddedPlatform({ home }), owner)
}

/**
 * Opens a platform on which every request is sent twice and the first response dropped, as after a
 * lost reply.
 */
const openLosingReplies: OpenAdapter<EmbeddedPlatform> = async () => {
  const home = createHome()
  const store = await openStore({ home, logger: silentLogger })
  const call: Store['call'] = async (name, args) => {
    await store.call(name, args)
    return store.call(name, args)
  }
  return createHandle(
    home,
    createEmbeddedPlatform({ ...store, call }, { home, logger: silentLogger }),
  )
}

const modes: readonly (readonly [string, OpenAdapter<EmbeddedPlatform>])[] = [
  ['embedded, owner', openAsOwner],
  ['embedded, over the socket', openOverSocket],
  ['embedded, every reply lost once', openLosingReplies],
]

for (const [name, open] of modes) {
  defineDecisionLogContract(name, open)
  defineOperationsContract(name, open)
  defineOperationTransitionsContract(name, open)
  defineOperationModelContract(name, open)
  defineControlContract(name, open)
  defineStopContract(name, open)
  defineLeasesContract(name, open)
  defineEventsContract(name, open)
  defineCatalogContract(name, open)
  defineRequestsContract(name, open)
  defineStackRenamesContract(name, open)
  defineRetentionContract(name, open)
  defineDocumentsContract(name, open)
  defineMarksContract(name, open)
  defineAuditContract(name, open)
  defineSealingContract(name, open)
}
defineBlobsContract('embedded', openAsOwner)
defineBlobSweepContract('embedded', openAsOwner)
defineArchivesContract('embedded', openAsOwner)
defineNudgesContract('embedded', openAsOwner)
defineHintsContract('embedded', openAsOwner)
defineNotificationsContract('embedded', async () => {
  const deps = { clock: createSystemClock(), random: createSystemRandom() }
  const notifications = createNotifications({ ...deps, visibilityMs: 60 })
  return { ports: { notifications, visibilityMs: 60 }, close: async () => undefined }
})
for (const isOwner of [true, false])
  defineChainQueueContract(isOwner ? 'embedded, owner' : 'embedded, over the socket', async () => {
    const home = createHome()
    const visibilityMs = 40
    const stores = [await openStore({ home, logger: silentLogger })]
    if (!isOwner) stores.unshift(await openStore({ home, logger: silentLogger }))
    const [store] = stores
    if (store === undefined) throw new Error('no store was opened')
    const deps = { store, clock: createSystemClock(), random: createSystemRandom() }
    const chains = createChainQueue({ ...deps, visibilityMs })
    const close = async (): Promise<void> => {
      chains.close()
      for (const store of stores) await store.close()
      rmSync(home, { recursive: true })
    }
    return { ports: { chains, visibilityMs }, close }
  })

test('a delivery has its send time, and the age of the oldest chain counts neither delays nor messages in delivery', async () => {
  const home = createHome()
  const platform = await openEmbeddedPlatform({ home })
  const { chains, readOldestChainAgeMs } = platform
  const message = { deployment: createDeploymentId(), operations: [toOperationId(1)] }
  try {
    expect(await readOldestChainAgeMs()).toBe(0)
    await chains.send([{ ...message, delayMs: 60_000 }])
    await platform.clock.sleep(20)
    expect(await readOldestChainAgeMs()).toBe(0)
    await chains.send([message])
    await platform.clock.sleep(20)
    expect(await readOldestChainAgeMs()).toBeGreaterThan(10)
    expect(await readOldestChainAgeMs()).toBeLessThan(30_000)
    const [delivery] = await chains.receive(1, 0)
    expect(Math.abs((delivery?.sentAt ?? 0) - Date.now())).toBeLessThan(60_000)
    expect(await readOldestChainAgeMs()).toBe(0)
    if (delivery !== undefined) await chains.extend(delivery.receipt, 0)
    await platform.clock.sleep(20)
    expect(await readOldestChainAgeMs()).toBeGreaterThan(10)
  } finally {
    await platform.close()
    rmSync(home, { recursive: true })
  }
})

test('a message or hint of one process wakes the receivers of another', async () => {
  const home = createHome()
  const [one, other] = [await openEmbeddedPlatform({ home }), await openEmbeddedPlatform({ home })]
  try {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const deployment = createDeploymentId()
      const receivedHint = Promise.withResolvers<number>()
      const mute = to.hints.listen(deployment, receivedHint.resolve)
      const startMs = performance.now()
      const pendingReceive = to.chains.receive(1, 20_000, { deployment })
      await from.chains.send([{ deployment, operations: [toOperationId(4)] }])
      const [delivery] = await pendingReceive
      expect(delivery?.message).toEqual({ deployment, operations: [4] })
      // The message arrived well before the next poll of the receiver.
      expect(performance.now() - startMs).toBeLessThan(900)
      from.hints.hint(deployment, toOperationId(4))
      expect(await receivedHint.promise).toBe(4)
      mute()
    }
  } finally {
    await other.close()
    await one.close()
    rmSync(home, { recursive: true })
  }
})

test('deliveries to a retired executor do not count toward the delivery limit of the others', async () => {
  const home = createHome()
  const platform = await openEmbeddedPlatform({ home })
  try {
    const { chains, leases } = platform
    const deployment = createDeploymentId()
    const createMessage = (number: number) => ({ deployment, operations: [toOperationId(number)] })
    await chains.send([createMessage(1), createMessage(2)])
    const receiveOne = async (executor: string) => {
      const deliveryLimit = { executor: toExecutorId(executor), operationsMax: 1 }
      const deliveries = await chains.receive(10, 0, { deployment, deliveryLimit })
      return deliveries.map(delivery => delivery.message.operations[0])
    }
    await leases.register(deployment, toExecutorId('one'), contractHolder)
    expect(await receiveOne('one')).toEqual([1])
    expect(await receiveOne('two')).toEqual([])
    await leases.retire(deployment, toExecutorId('one'))
    expect(await receiveOne('two')).toEqual([2])
  } finally {
    await platform.close()
    rmSync(home, { recursive: true })
  }
})

test('the sealing key is private to its user, the same for all processes, and never replaced', async () => {
  const home = createHome()
  const sealings = Array.from({ length: 5 }, () => createKeyFileSealing(home))
  expect(existsSync(join(home, 'sealing.key'))).toBe(false)
  const sealed = await Promise.all(sealings.map((sealing, index) => sealing.seal(`${index}`, 'x')))
  const other = createKeyFileSealing(home)
  expect(await Promise.all(sealed.map(text => other.open(text, 'x')))).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
  ])
  expect(statSync(join(home, 'sealing.key')).mode & 0o777).toBe(0o600)
  writeFileSync(join(home, 'sealing.key'), 'short')
  const refusedSeal = createKeyFileSealing(home).seal('a', 'x')
  await expect(refusedSeal).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  rmSync(home, { recursive: true })
})
