import type { Command } from 'commander'
import type { Attach } from './attach-handler.ts'
import { addExecutionOptions, addMessageOptions, addConfigOptions } from './declare-operations.ts'
import { collect } from './flags.ts'
import { unsupportedOptions } from './unsupported.ts'

/** Declares `import`. */
export function declareImport(root: Command, attach: Attach): void {
  const command = root
    .command('import')
    .description('adopt what exists into a stack, and print the program for it')
    .argument('[type]', 'the type of the resource')
    .argument('[name]', 'what it is to be called')
    .argument('[id]', 'what its provider knows it by')
    .argument('[more...]')
    .option('-f, --file <file>', 'a JSON file that names many resources')
    .option('--parent <name=urn>', 'the resource that it is a child of')
    .option('--provider <name=urn>', 'the provider to use')
    .option('--properties <names>', 'the properties to import, parted by commas', collect)
    .option('--no-protect', 'leave it unprotected')
    .option('--no-generate-code', 'print no program')
    .option('-o, --out <file>', 'write the program to a file')
    .option('-p, --parallel <n>', 'how many operations run at once')
    .option('--diff', 'show each change of each property')
    .option('-j, --json', 'print the events of the engine, one JSON object a line')
    .option('--event-log <file>', 'write the events there too; or send them to tcp://host:port')
    .option('-m, --message <text>', 'a note for the history')
    .option('-y, --yes', 'do not ask')
    .option('--skip-preview', 'do it without a preview')
    .option('--preview-only', 'show what would be imported, import nothing')
    .option('--suppress-outputs', 'do not show the outputs of the stack')
    .option('--config-file <file>', 'the configuration file, instead of the one of the stack')
  addExecutionOptions(addMessageOptions(addConfigOptions(command)))
  attach(
    command,
    async () => (await import('../commands/import.ts')).importResources,
    unsupportedOptions.import,
  )
}
