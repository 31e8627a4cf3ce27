import { openManagerFromState } from '../../../shared/secrets/secrets-from-state.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  parseEnvelope,
  printEnvelope,
} from '../../../shared/state/snapshot-codec.ts'
import { printStateBlob } from '../../../shared/state/print-envelope.ts'
import { verifyIntegrity } from '../../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../../shared/state/stored.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const manager = await openManagerFromState({ type: 'b64', state: null }, undefined)

/** Decodes and encodes the deployment twice. Both results must be equal. */
async function checkSnapshot(deployment: StoredDeployment): Promise<void> {
  const recode = async (stored: StoredDeployment): Promise<StoredDeployment> =>
    encodeSnapshot(await decodeSnapshot(stored, manager), manager, 'sealed')
  const first = await recode(deployment)
  requireLaw(
    JSON.stringify(await recode(first)) === JSON.stringify(first),
    'an encoded snapshot decodes to itself',
  )
}

/** States: envelopes of all versions, the rules of states, and snapshots. */
export const statesTarget: FuzzTarget = {
  async decode(input) {
    const envelope = await parseEnvelope(input)
    const text = await printEnvelope(envelope)
    const reprinted = await printEnvelope(await parseEnvelope(text))
    requireLaw(reprinted === text, 'a printed envelope parses to itself')
    await printStateBlob(envelope)
    if (envelope.deployment === null) return
    verifyIntegrity(envelope.deployment)
    await checkSnapshot(envelope.deployment)
  },
}
