import type { Command } from 'commander'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'
import { type Attach, declareUnsupportedCommands } from './handler.ts'

/** Declares `package` and its subcommands. */
export function declarePackage(root: Command, attach: Attach): void {
  const packages = root
    .command('package')
    .description('Add packages to a project, or print their schemas')
  attach(
    packages
      .command('add')
      .argument(
        '<plugin>',
        'Name of the plugin, optionally with @<version>; its folder; a schema file; or terraform-provider',
      )
      .argument('[args...]', 'Arguments of the plugin (of terraform-provider: <source> [version])')
      .description('Generate a typed SDK of a package in the project')
      .option('--language <name>', 'Language of the SDK (default: that of the project)')
      .option('--out <folder>', 'Folder of the SDK (default: sdks/<name> of the project)')
      .allowUnknownOption(),
    async () => (await import('../commands/package-add.ts')).addPackage,
  )
  attach(
    packages
      .command('gen-sdk')
      .argument(
        '<plugin>',
        'Name of the plugin, optionally with @<version>; its folder; a schema file; or terraform-provider',
      )
      .argument('[args...]', 'Arguments of the plugin (of terraform-provider: <source> [version])')
      .description('Generate SDKs of a package, each in a folder of its own')
      .option('--language <name>', 'nodejs, python, yaml, go, dotnet, java or all (default: all)')
      .option('-o, --out <folder>', 'Folder with the folders of the SDKs (default: ./sdk)')
      .option('--version <version>', 'Version of the package (default: that of its schema)')
      .option(
        '--local',
        'Generate SDKs for local use, not for publication (no effect on nodejs, python and yaml)',
      )
      .allowUnknownOption(),
    async () => (await import('../commands/package-gen-sdk.ts')).generatePackageSdks,
    unsupportedOptions.genSdk,
  )
  attach(
    packages
      .command('get-schema')
      .argument(
        '<plugin>',
        'Name of the plugin, optionally with @<version>; its folder; a schema file; or terraform-provider',
      )
      .argument('[args...]', 'Arguments of the plugin (of terraform-provider: <source> [version])')
      .description('Print the schema of a package as JSON')
      .allowUnknownOption(),
    async () => (await import('../commands/package-get-schema.ts')).printPackageSchema,
  )
  attach(
    packages
      .command('info')
      .argument(
        '<plugin>',
        'Name of the plugin, optionally with @<version>; its folder; a schema file; or terraform-provider',
      )
      .argument('[args...]', 'Arguments of the plugin (of terraform-provider: <source> [version])')
      .description('Describe a package, a module, a resource or a function')
      .option('-m, --module <name>', 'Module of the package')
      .option('-r, --resource <name>', 'Resource, by its token or the last part of it')
      .option('-f, --function <name>', 'Function, by its token or the last part of it')
      .allowUnknownOption(),
    async () => (await import('../commands/package-info.ts')).printPackageInfo,
  )
  declareUnsupportedCommands(packages, unsupportedCommands.package)
}
