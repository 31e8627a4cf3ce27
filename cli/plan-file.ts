import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readPlan } from '../shared/engine/plan/plan-file.ts'
import type { DeployRequest } from '../shared/engine/request.ts'
import { error, messageOf } from '../shared/errors/error.ts'
import { stackPartsOf } from '../shared/records/ids.ts'
import type { Flags } from './flags.ts'
import type { Session } from './session.ts'

/** The text of the file of `--plan`; undefined without the option. Throws PLAN_INVALID. */
export function planText(session: Pick<Session, 'cwd'>, flags: Flags): string | undefined {
  const file = flags.text('plan')
  if (file === undefined) return undefined
  try {
    return readFileSync(resolve(session.cwd, file), 'utf8')
  } catch (cause) {
    throw error('PLAN_INVALID', `the plan cannot be read: ${messageOf(cause)}`, { cause })
  }
}

/** The request, held to a plan that can be read. Throws PLAN_INVALID before anything begins. */
export function heldTo(request: DeployRequest, plan: string | undefined): DeployRequest {
  if (plan === undefined) return request
  const { decrypt } = request.secrets.crypter
  readPlan(plan, { ...stackPartsOf(request.stack), decrypt })
  return { ...request, plan }
}

/** Writes what a preview drew to the file of `--save-plan`. Throws CLI_USAGE. */
export function savePlan(session: Session, flags: Flags, plan: string | undefined): void {
  const file = flags.text('savePlan')
  if (file === undefined || plan === undefined) return
  try {
    writeFileSync(resolve(session.cwd, file), plan)
  } catch (cause) {
    throw error('CLI_USAGE', `the plan cannot be written: ${messageOf(cause)}`, { cause })
  }
  if (flags.is('json')) return
  session.io.stdout.write(
    `Update plan written to '${file}'\n` +
      `Run \`antichain up --plan='${file}'\` to constrain the update to the operations planned by this preview\n`,
  )
}
