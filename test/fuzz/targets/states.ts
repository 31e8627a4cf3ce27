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
const decoder = new TextDecoder()

/** Decodes and encodes the deployment twice. The second result must be that of the first time. */
function checkSnapshot(deployment: StoredDeployment): void {
  const recode = (stored: StoredDeployment): StoredDeployment =>
    encodeSnapshot(decodeSnapshot(stored, manager), manager, 'sealed')
  const first = recode(deployment)
  requireLaw(
    JSON.stringify(recode(first)) === JSON.stringify(first),
    'an encoded snapshot decodes to itself',
  )
}

/** States: envelopes of all versions, the rules of states, and snapshots. */
export const statesTarget: FuzzTarget = {
  decode(input) {
    const envelope = parseEnvelope(decoder.decode(input))
    const text = printEnvelope(envelope)
    requireLaw(printEnvelope(parseEnvelope(text)) === text, 'a printed envelope parses to itself')
    printStateBlob(envelope)
    if (envelope.deployment === null) return
    verifyIntegrity(envelope.deployment)
    checkSnapshot(envelope.deployment)
  },
}
