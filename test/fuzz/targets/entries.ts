import * as z from 'zod'
import { createError } from '../../../shared/errors/error.ts'
import { decodeEntry, encodeEntry } from '../../../shared/journal/entry.ts'
import { replayEntries } from '../../../shared/journal/replay-entries.ts'
import { readEnvelope } from '../../../shared/state/envelope.ts'
import { printCompactJson } from '../../../shared/state/print-envelope.ts'
import type { Json } from '../../../shared/state/stored.ts'
import { parseJson } from '../../../shared/values/parse-json.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const inputForm = z.object({ base: z.unknown(), entries: z.array(z.unknown()) })
const options = { baseFeatures: [], now: '2026-01-01T00:00:00Z', version: '3.0.0' }

/** Journal entries, and their replay over a base. */
export const entriesTarget: FuzzTarget = {
  decode(input) {
    const parsed = inputForm.safeParse(parseJson(new TextDecoder().decode(input)))
    if (!parsed.success) throw createError('STATE_INVALID', 'the input is not a base with entries')
    const entries = parsed.data.entries.map(decodeEntry)
    for (const entry of entries) {
      const text = JSON.stringify(encodeEntry(entry))
      const recoded = JSON.stringify(encodeEntry(decodeEntry(JSON.parse(text))))
      requireLaw(recoded === text, 'an encoded entry decodes to itself')
    }
    const { deployment } = readEnvelope(parsed.data.base)
    if (deployment === null) return
    const result: unknown = replayEntries(deployment, entries, options)
    printCompactJson(result as Json)
  },
}
