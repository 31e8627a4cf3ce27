import type { Command } from 'commander'
import type { Attach } from './handler.ts'
import { addJsonOptions } from './output-option.ts'
import { declareUnsupportedCommands } from './handler.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'

/** Declares the commands of a project and its machine: `install`, `gen-completion` and `about`. */
export function declareProject(root: Command, attach: Attach): void {
  attach(
    root
      .command('install')
      .description('Install the dependencies and plugins of the program or policy pack')
      .option('--no-dependencies', 'Install no dependencies')
      .option('--no-plugins', 'Install no plugins')
      .option('--reinstall', 'Reinstall plugins that are already installed')
      .option('--parallel <number>', 'Maximum number of concurrent installations', '4'),
    async () => (await import('../commands/install.ts')).installProject,
    unsupportedOptions.install,
  )
  attach(
    root
      .command('gen-completion')
      .alias('completion')
      .argument('<shell>', 'Shell: bash, fish or zsh')
      .description('Print the script that completes commands, stacks, URNs and keys in a shell'),
    async () => (await import('../commands/gen-completion.ts')).printCompletionScript,
  )
  const environmentCommand = addJsonOptions(
    root
      .command('about')
      .description('Show versions, the place of the stacks, and the project of the folder'),
  )
  attach(
    environmentCommand,
    async () => (await import('../commands/about.ts')).showEnvironment,
    unsupportedOptions.environment,
  )
  declareUnsupportedCommands(environmentCommand, unsupportedCommands.environment)
}
