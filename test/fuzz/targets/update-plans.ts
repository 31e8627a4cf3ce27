import { createError } from '../../../shared/errors/error.ts'
import {
  formatUpdatePlan,
  readUpdatePlan,
} from '../../../shared/engine/update-plan/update-plan-file-format.ts'
import type { UpdatePlan } from '../../../shared/engine/update-plan/update-plan.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const prefix = 'sealed:'

/** Opens a secret. A damaged one is refused as the key of a stack refuses it. */
function decrypt(ciphertext: string): string {
  if (ciphertext.startsWith(prefix)) return ciphertext.slice(prefix.length)
  throw createError('SECRETS_MALFORMED', 'the ciphertext is not of this stack')
}

const manifest = { time: '2026-11-30T19:00:00Z', magic: '', version: '3.274.1' }
const format = (plan: UpdatePlan): string =>
  formatUpdatePlan(plan, { manifest, config: {}, encrypt: text => `${prefix}${text}` })

/** Update plans: files of `--plan` in Pulumi's format. */
export const updatePlansTarget: FuzzTarget = {
  decode(input) {
    const context = { stack: 'dev', project: 'shop', decrypt }
    const text = format(readUpdatePlan(new TextDecoder().decode(input), context))
    requireLaw(format(readUpdatePlan(text, context)) === text, 'a formatted plan is read as it was')
  },
}
