import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import type { StateTools } from '../../../cli/session/tools.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import type { SecretsManager } from '../../../shared/secrets/crypter.ts'
import { createResourceState } from '../../../shared/state/resource.ts'
import { emptySnapshot, type Snapshot } from '../../../shared/state/snapshot.ts'
import type { SecretsMode } from '../../../shared/state/snapshot-codec.ts'
import type { StoredDeployment, StoredEnvelope } from '../../../shared/state/stored.ts'

function decodeNames(stored: StoredDeployment): Snapshot {
  const { resources = [], pending_operations: pending = [] } = stored
  return {
    ...emptySnapshot,
    resources: resources.map(({ urn, type, custom }) =>
      createResourceState({ urn: urn as Urn, type, custom }),
    ),
    pendingOperations: pending.map(({ resource }) => ({
      type: 'creating',
      resource: createResourceState({
        urn: resource.urn as Urn,
        type: resource.type,
        custom: true,
      }),
    })),
  }
}

function encodeNames(
  snapshot: Snapshot,
  manager: SecretsManager,
  mode: SecretsMode,
): StoredDeployment {
  return {
    manifest: snapshot.manifest,
    secrets_providers: { type: manager.type, state: manager.state },
    resources: snapshot.resources.map(({ urn, type, custom }) => ({ urn, type, custom })),
    pending_operations: snapshot.pendingOperations.map(
      ({ type, resource: { urn, type: resourceType, custom } }) => ({
        type,
        resource: { urn, type: resourceType, custom },
      }),
    ),
    metadata: { secrets: mode },
  }
}

/** Tools for states of which only the names of resources matter. */
export const fakeStateTools: StateTools = {
  parseEnvelope: async source =>
    JSON.parse(await readText(Readable.from(source))) as StoredEnvelope,
  printEnvelope: async envelope => `${JSON.stringify(envelope)}\n`,
  printEnvelopeInChunks: async function* (envelope) {
    yield `${JSON.stringify(envelope)}\n`
  },
  envelopeOf: async deployment => ({ version: 3, deployment }),
  decodeSnapshot: async stored => decodeNames(stored),
  encodeSnapshot: async (snapshot, manager, mode) => encodeNames(snapshot, manager, mode),
  recodeDeployment: async (stored, _source, { manager, mode }) =>
    encodeNames(decodeNames(stored), manager, mode),
}
