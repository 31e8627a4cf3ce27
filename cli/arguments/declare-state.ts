import type { Command } from 'commander'
import type { Attach } from './handler.ts'
import { addJsonOptions } from './output-option.ts'

/** Declares `state` and its subcommands. */
export function declareState(root: Command, attach: Attach): void {
  const state = root.command('state').description('Inspect and edit the state of a stack')
  const pending = state
    .command('pending')
    .description('Manage pending operations, whose results are unknown')
  attach(
    pending
      .command('ls')
      .alias('list')
      .description('List pending operations')
      .option('-j, --json', 'Print JSON'),
    async () => (await import('../commands/state-pending.ts')).listPending,
  )
  attach(
    pending
      .command('import')
      .argument('<urn>', 'URN of the resource')
      .argument('<id>', 'Id of the resource at its provider')
      .description('Import the resource of an interrupted create by its id')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-pending.ts')).importPendingOperation,
  )
  attach(
    pending
      .command('clear')
      .argument('<urn>', 'URN of the resource')
      .description('Clear a pending operation that had no effect')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-pending.ts')).clearPendingOperation,
  )
  attach(
    addJsonOptions(
      state
        .command('get')
        .argument('<resource>', 'URN or name of the resource')
        .description('Show the recorded state of a resource, by URN or name')
        .option('--show-secrets', 'Show secrets in plaintext'),
    ),
    async () => (await import('../commands/state-get.ts')).getResourceState,
  )
  declareEdits(state, attach)
  declareWholeEdits(state, attach)
  attach(
    state
      .command('promote')
      .argument('<snippet>', 'Name of the snippet')
      .description('Generate the code of a snippet, and remove the snippet from the state')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-promote.ts')).promoteSnippetCommand,
  )
}

/** Declares the edits of resources in the state; see docs/spec/state-integrity.md#state-edits. */
function declareEdits(state: Command, attach: Attach): void {
  attach(
    state
      .command('delete')
      .argument('[urns...]', 'URNs of the resources (default: a prompt)')
      .aliases(['remove', 'rm'])
      .description('Remove resources from the state without deleting them')
      .option('--all', 'Remove all resources of the stack')
      .option('--force', 'Also remove protected resources')
      .option('--target-dependents', 'Also remove the dependents of the resources')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-delete.ts')).deleteFromState,
  )
  const markCommands = [
    ['protect', 'Protect resources from deletion', true],
    ['unprotect', 'Remove the protection of resources', true],
    ['taint', 'Mark resources for replacement in the next `up`', false],
    ['untaint', 'Remove the replacement mark of resources', true],
  ] as const
  for (const [name, description, hasAllOption] of markCommands) {
    const command = state
      .command(name)
      .argument('[urns...]', 'URNs of the resources (default: a prompt)')
      .description(description)
      .option('-y, --yes', 'Skip the confirmation prompt')
    if (hasAllOption) command.option('--all', 'Select all resources of the stack')
    attach(command, async () => {
      const handlers = await import('../commands/state-mark.ts')
      if (name === 'protect') return handlers.protectResources
      if (name === 'unprotect') return handlers.unprotectResources
      return name === 'taint' ? handlers.taintResources : handlers.untaintResources
    })
  }
  attach(
    state
      .command('rename')
      .argument('[urn]', 'URN of the resource (default: a prompt)')
      .argument('[name]', 'New name of the resource (default: a prompt)')
      .description('Rename a resource in the state')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-rename.ts')).renameResource,
  )
  attach(
    state
      .command('move')
      .argument('<urns...>', 'URNs of the resources')
      .alias('mv')
      .description('Move resources from one stack to another')
      .option('--source <stack>', 'Source stack (default: the selected stack)')
      .option('--dest <stack>', 'Destination stack (default: the selected stack)')
      .option('--include-parents', 'Also move the parents of the resources')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-move.ts')).moveStateResources,
  )
  attach(
    state
      .command('repair')
      .description('Repair an invalid state')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-repair.ts')).repairStackState,
  )
}

/** Declares the commands for the whole state of a stack, and for all stacks of a backend. */
function declareWholeEdits(state: Command, attach: Attach): void {
  attach(
    state
      .command('edit')
      .description('Edit the state in an editor, and verify it')
      .option('--editor <command>', 'The editor (default: $VISUAL or $EDITOR)')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-edit.ts')).editStateInEditor,
  )
  attach(
    state
      .command('upgrade')
      .description('Move the stacks of a backend from the legacy layout to that with projects')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/state-upgrade.ts')).upgradeState,
  )
  attach(
    state
      .command('undo')
      .description('Publish the version before the current one as the next version')
      .option('-y, --yes', 'Skip the confirmation prompt'),
    async () => (await import('../commands/stack-rollback.ts')).undoState,
  )
}
