import type { Command } from 'commander'
import { type Attach, declareUnsupportedCommands } from './attach-handler.ts'
import { unsupportedCommands } from './unsupported.ts'

/** Declares `state` and what is below it. */
export function declareState(root: Command, attach: Attach): void {
  const state = root.command('state').description('look at the state of a stack and mend it')
  const pending = state
    .command('pending')
    .description('operations that began and of which nobody knows how they ended')
  attach(
    pending.command('ls').alias('list').description('list them').option('-j, --json', 'as JSON'),
    async () => (await import('../commands/state-pending.ts')).listPending,
  )
  attach(
    pending
      .command('import <urn> <id>')
      .description('say under which id the resource of an interrupted create exists')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/state-pending.ts')).importPendingOperation,
  )
  attach(
    pending
      .command('clear <urn>')
      .description('say that nothing came of what was begun')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/state-pending.ts')).clearPendingOperation,
  )
  declareEdits(state, attach)
  declareUnsupportedCommands(state, unsupportedCommands.state)
}

/** What changes resources of the state itself; see docs/spec/state-integrity.md#state-edits. */
function declareEdits(state: Command, attach: Attach): void {
  attach(
    state
      .command('delete [urns...]')
      .aliases(['remove', 'rm'])
      .description('have the state forget resources; in the cloud they stay')
      .option('--all', 'all resources of the stack')
      .option('--force', 'protected resources too')
      .option('--target-dependents', 'what depends on them too')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/state-delete.ts')).stateDelete,
  )
  const marks = [
    ['protect', 'keep resources from being deleted', true],
    ['unprotect', 'let protected resources be deleted again', true],
    ['taint', 'have the next `up` replace resources', false],
    ['untaint', 'take that back', true],
  ] as const
  for (const [name, description, hasAll] of marks) {
    const command = state
      .command(`${name} [urns...]`)
      .description(description)
      .option('-y, --yes', 'do not ask')
    if (hasAll) command.option('--all', 'all resources of the stack')
    attach(command, async () => {
      const handlers = await import('../commands/state-mark.ts')
      if (name === 'protect') return handlers.protectResources
      if (name === 'unprotect') return handlers.unprotectResources
      return name === 'taint' ? handlers.taintResources : handlers.untaintResources
    })
  }
  attach(
    state
      .command('rename [urn] [name]')
      .description('give a resource another name, as the program has it then')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/state-rename.ts')).renameResource,
  )
  attach(
    state
      .command('move <urns...>')
      .alias('mv')
      .description('move resources from one stack to another')
      .option('--source <stack>', 'the stack that has them')
      .option('--dest <stack>', 'the stack that gets them')
      .option('--include-parents', 'their parents too')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/state-move.ts')).moveStateResources,
  )
  attach(
    state
      .command('repair')
      .description('put a state in order that breaks the rules')
      .option('-y, --yes', 'do not ask'),
    async () => (await import('../commands/state-repair.ts')).stateRepair,
  )
}
