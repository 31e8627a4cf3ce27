import type { ClockPort, ProcessesPort } from '../../ports/system.ts'
import type { PackageRegistry } from './registries/package-registry.ts'
import type { PackageCommand } from './run-package-command.ts'

/** Dependencies of planning an installation. The processes report the version of the language. */
export interface PackagePlanDeps {
  readonly processes: ProcessesPort
  readonly clock: Pick<ClockPort, 'now'>
  readonly env: Readonly<Record<string, string>>
}

/** The options of an installation that its plan depends on. */
export interface PackagePlanOptions {
  /** Whether the package manager runs no scripts. */
  readonly ignoreScripts: boolean
  /** The registries of packages, besides the public ones. Default: none. */
  readonly registries?: readonly PackageRegistry[] | undefined
}

/** The steps that install the packages of a program. */
export interface PackagePlan {
  /** The folder of the packages, relative to the folder of the project. */
  readonly packagesFolder: string
  /** The commands, in order. */
  readonly commands: readonly PackageCommand[]
  /**
   * Files in the folder of the project that the package manager must not find. They could make it
   * run code, or send a credential elsewhere.
   */
  readonly hiddenFiles?: readonly string[]
  /**
   * A text that identifies the packages by manager, requirements, runtime and options. If the
   * requirements name no exact versions, the marker also contains the day.
   */
  readonly marker: string
  /** Whether another program with this marker has the same packages. */
  readonly canReusePackages: boolean
}
