import type { PackageCommand } from './run-package-command.ts'

/** The steps that install the packages of a program. */
export interface PackagePlan {
  /** The folder of the packages, relative to the folder of the project. */
  readonly packagesFolder: string
  /** The commands, in order. */
  readonly commands: readonly PackageCommand[]
  /** Identifies the packages by manager, requirements, runtime and options. */
  readonly marker: string
  /** Whether another program with this marker has the same packages. */
  readonly canReusePackages: boolean
}
