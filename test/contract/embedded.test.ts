import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChainQueue } from '../../shared/platform/embedded/chain-queue.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
  platformOver,
} from '../../shared/platform/embedded/platform.ts'
import { type Store, openStore } from '../../shared/platform/embedded/store/store.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLog } from '../../shared/platform/system/log.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { blobsContract } from './blobs.ts'
import { catalogContract } from './catalog.ts'
import { chainQueueContract } from './chain-queue.ts'
import { controlContract, leasesContract } from './control.ts'
import { decisionLogContract } from './decision-log.ts'
import { eventsContract } from './events.ts'
import { hintsContract, nudgesContract } from './nudges.ts'
import type { Open, Opened } from './opened.ts'
import { operationTransitionsContract } from './operation-transitions.ts'
import { operationsContract } from './operations.ts'

function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'antichain-contract-'))
}

function opened(home: string, ...platforms: readonly EmbeddedPlatform[]): Opened<EmbeddedPlatform> {
  const [first] = platforms
  if (first === undefined) throw new Error('a platform is needed')
  return {
    ports: first,
    close: async () => {
      for (const platform of platforms) await platform.close()
      rmSync(home, { recursive: true })
    },
  }
}

const asOwner: Open<EmbeddedPlatform> = async () => {
  const home = newHome()
  return opened(home, await openEmbeddedPlatform({ home }))
}

const overTheSocket: Open<EmbeddedPlatform> = async () => {
  const home = newHome()
  const owner = await openEmbeddedPlatform({ home })
  return opened(home, await openEmbeddedPlatform({ home }), owner)
}

/** Every request is made twice and the first answer dropped, as by a client that lost a reply. */
const whenRepliesAreLost: Open<EmbeddedPlatform> = async () => {
  const home = newHome()
  const store = await openStore({ home, log: silentLog })
  const call: Store['call'] = async (name, args) => {
    await store.call(name, args)
    return store.call(name, args)
  }
  return opened(home, platformOver({ ...store, call }, { home, log: silentLog }))
}

const modes: readonly (readonly [string, Open<EmbeddedPlatform>])[] = [
  ['embedded, owner', asOwner],
  ['embedded, over the socket', overTheSocket],
  ['embedded, every reply lost once', whenRepliesAreLost],
]

for (const [name, open] of modes) {
  decisionLogContract(name, open)
  operationsContract(name, open)
  operationTransitionsContract(name, open)
  controlContract(name, open)
  leasesContract(name, open)
  eventsContract(name, open)
  catalogContract(name, open)
}
blobsContract('embedded', asOwner)
nudgesContract('embedded', asOwner)
hintsContract('embedded', asOwner)
chainQueueContract('embedded', async () => {
  const visibilityMs = 40
  const clock = createSystemClock()
  const chains = createChainQueue({ clock, random: createSystemRandom(), visibilityMs })
  return { ports: { chains, visibilityMs }, close: async () => chains.close() }
})
