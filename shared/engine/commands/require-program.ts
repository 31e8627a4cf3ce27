import { createError } from '../../errors/error.ts'
import type { Base } from '../deployment/state/base.ts'
import type { CommandRun } from './command-run.ts'

/**
 * Refuses a destroy without the program when a resource in the state has delete hooks, because the
 * hooks could not be called. Each such resource is reported. Throws DESTROY_NEEDS_PROGRAM. Source:
 * docs/spec/step-execution.md#hooks.
 */
export function requireProgramForDeleteHooks({ request, emitter }: CommandRun, base: Base): void {
  const { command, runProgram } = request.options
  if (command !== 'destroy' || runProgram === true) return
  let isProgramNeeded = false
  for (const { urn, resourceHooks } of base.snapshot.resources) {
    const hookNames = ['BeforeDelete', 'AfterDelete'].flatMap(hook => resourceHooks.get(hook) ?? [])
    if (hookNames.length === 0) continue
    isProgramNeeded = true
    const message =
      'Resource has delete hooks registered, but the program is not running. Hooks: ' +
      hookNames.join(', ')
    emitter.report('error', message, urn)
  }
  if (isProgramNeeded)
    throw createError(
      'DESTROY_NEEDS_PROGRAM',
      'You must run with the `--run-program` flag to use delete hooks during destroy.',
    )
}
