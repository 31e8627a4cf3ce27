import { type Command, Option } from 'commander'
import { collectValues } from './flags.ts'
import type { Attach } from './handler.ts'
import { addJsonOptions } from './output-option.ts'
import { unsupportedOptions } from './unsupported.ts'

function declareNew(parent: Command, attach: Attach): void {
  attach(
    parent
      .command('new')
      .aliases(['create', 'setup'])
      .argument(
        '[template]',
        'Name of a template, a folder, or a git repository (default: a prompt)',
      )
      .description('Create a project, a stack and its configuration from a template')
      .option('-n, --name <name>', 'Name of the project (default: that of the folder)')
      .option('-d, --description <text>', 'Description of the project')
      .option('--dir <folder>', 'Folder of the project (default: the current one)')
      .option('-f, --force', 'Overwrite files of a folder that is not empty')
      .option('-g, --generate-only', 'Write the files only')
      .option('-l, --list-templates', 'List the templates')
      .option('-o, --offline', 'No effect: templates of this package need no network')
      .addOption(
        new Option(
          '-c, --config <key=value>',
          'Configuration value of the stack (repeatable)',
        ).argParser(collectValues),
      )
      .option('--config-path', 'Treat the keys of --config as paths into maps or lists')
      .option('--secrets-provider <kind>', 'Secrets provider of the stack')
      .option('-y, --yes', 'Skip prompts and use defaults'),
    async () => (await import('../commands/new.ts')).createProject,
    unsupportedOptions.new,
  )
}

function declareConvert(root: Command, attach: Attach): void {
  attach(
    root
      .command('convert')
      .argument('[args...]', 'Arguments of the converter')
      .description('Convert the program of the folder into another language')
      .option('--from <converter>', 'Converter: terraform, pcl, or that of a plugin', 'yaml')
      .option('--language <language>', 'Language of the new program')
      .option('--name <name>', 'Name of the new project (default: that of the folder)')
      .option('--out <folder>', 'Folder of the new project', '.')
      .option('--generate-only', 'Install no dependencies')
      .option('--strict', 'Fail on errors such as missing variables (not with pcl)'),
    async () => (await import('../commands/convert.ts')).convertProgram,
    unsupportedOptions.convert,
  )
}

/** Declares the commands of a project and its machine, such as `new`, `install` and `doctor`. */
export function declareProject(root: Command, attach: Attach): void {
  declareNew(root, attach)
  declareConvert(root, attach)
  const project = root.command('project').description('Create projects')
  declareNew(project, attach)
  attach(
    addJsonOptions(
      project
        .command('list')
        .alias('ls')
        .description('List the projects that have stacks')
        .option('-o, --organization <name>', 'Organization of the projects'),
    ),
    async () => (await import('../commands/project-list.ts')).listProjects,
  )
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
      .argument('<shell>', 'Shell: bash, fish, powershell or zsh')
      .description('Print the script that completes commands, stacks, URNs and keys in a shell'),
    async () => (await import('../commands/gen-completion.ts')).printCompletionScript,
  )
  attach(
    root
      .command('gen-man')
      .argument('[folder]', 'Folder of the pages (default: the current one)')
      .description('Write the manual pages of all commands'),
    async () => (await import('../commands/gen-man.ts')).createGenManHandler(root),
  )
  attach(
    root.command('version').description('Print the version'),
    async () => (await import('../commands/version.ts')).printVersion,
  )
  const aboutCommand = addJsonOptions(
    root
      .command('about')
      .description('Show versions, the place of the stacks, and the project of the folder'),
  )
  attach(
    aboutCommand,
    async () => (await import('../commands/about.ts')).showSystemFacts,
    unsupportedOptions.aboutCommand,
  )
  attach(
    aboutCommand
      .command('env')
      .description('List the variables of the environment that the command reads'),
    async () => (await import('../commands/about-env.ts')).showVariables,
  )
  attach(
    addJsonOptions(
      root
        .command('doctor')
        .description('Find defects of the machine, the installation, the project and the store'),
    ),
    async () => (await import('../commands/doctor.ts')).diagnose,
  )
}
