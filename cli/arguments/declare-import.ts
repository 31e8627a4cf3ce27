import type { Command } from 'commander'
import type { Attach } from './handler.ts'
import {
  addExecutionOptions,
  addMessageOptions,
  addShowConfigOptions,
} from './declare-operations.ts'
import { collectValues } from './flags.ts'
import { addSummaryOption } from './output-option.ts'
import { unsupportedOptions } from './unsupported.ts'

/** Declares `import`. */
export function declareImport(root: Command, attach: Attach): void {
  const command = root
    .command('import')
    .description('Import existing resources into a stack and generate code for them')
    .argument('[type]', 'Type of the resource (with --from: path of a file or folder)')
    .argument('[name]', 'Name of the resource')
    .argument('[id]', 'Id of the resource at its provider')
    .allowExcessArguments()
    .option('-f, --file <file>', 'Import the resources listed in a JSON file')
    .option('--parent <name=urn>', 'Parent of the resource')
    .option(
      '--provider <name=urn>',
      'Provider of the resource (with --from, repeatable: <address>=<version or ./path>)',
      collectValues,
    )
    .option('--from <source>', 'Adopt the resources of a state: terraform (also for OpenTofu)')
    .option('--names <file>', 'With --from: JSON file with a name for each address')
    .option('--properties <names>', 'Properties to import, separated by commas', collectValues)
    .option('--no-protect', 'Do not protect the imported resources')
    .option('--no-generate-code', 'Do not generate code')
    .option('-o, --out <file>', 'Write the generated code to a file')
    .option('-p, --parallel <n>', 'Maximum number of concurrent operations')
    .option('--diff', 'Show the changed properties of each resource')
    .option('-j, --json', 'Print engine events as JSON, one per line (with --from: the report)')
    .option(
      '--event-log <file>',
      'Also write the events to a file, or send them to tcp://host:port',
    )
    .option('-m, --message <text>', 'Message recorded in the history')
    .option('-y, --yes', 'Skip the confirmation prompt')
    .option('--skip-preview', 'Skip the preview and the confirmation prompt')
    .option('--preview-only', 'Preview without changing anything')
    .option('--suppress-outputs', 'Hide the stack outputs')
    .option('--config-file <file>', 'Use this configuration file instead of Pulumi.<stack>.yaml')
  addExecutionOptions(addMessageOptions(addShowConfigOptions(addSummaryOption(command))))
  attach(
    command,
    async () => (await import('../commands/import.ts')).importResources,
    unsupportedOptions.import,
  )
}
