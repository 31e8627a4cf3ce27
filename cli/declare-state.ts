import type { Command } from 'commander'
import { type Attach, refuseCommands } from './attach.ts'
import { missingCommands } from './missing.ts'

/** Declares `state` and what is below it. */
export function declareState(root: Command, attach: Attach): void {
  const state = root.command('state').description('look at the state of a stack and mend it')
  const pending = state
    .command('pending')
    .description('operations that began and of which nobody knows how they ended')
  attach(
    pending.command('ls').alias('list').description('list them').option('-j, --json', 'as JSON'),
    async () => (await import('./commands/state-pending.ts')).pendingLs,
  )
  attach(
    pending
      .command('import <urn> <id>')
      .description('say under which id the resource of an interrupted create exists')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('./commands/state-pending.ts')).pendingImport,
  )
  attach(
    pending
      .command('clear <urn>')
      .description('say that nothing came of what was begun')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('./commands/state-pending.ts')).pendingClear,
  )
  refuseCommands(state, missingCommands.state)
}
