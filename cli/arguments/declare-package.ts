import type { Command } from 'commander'
import { unsupportedCommands } from './unsupported.ts'
import { type Attach, declareUnsupportedCommands } from './attach-handler.ts'

/** Declares `package` and its subcommands. */
export function declarePackage(root: Command, attach: Attach): void {
  const packages = root.command('package').description('Print the schemas of packages')
  attach(
    packages
      .command('get-schema <plugin> [args...]')
      .description('Print the schema of a package as JSON (terraform-provider <source> [version])')
      .allowUnknownOption(),
    async () => (await import('../commands/package-get-schema.ts')).printPackageSchema,
  )
  declareUnsupportedCommands(packages, unsupportedCommands.package)
}
