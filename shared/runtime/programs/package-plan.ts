import type { ClockPort, ProcessesPort } from '../../ports/system.ts'
import type { PackageCommand } from './run-package-command.ts'

/** Dependencies of planning an installation. The processes report the version of the language. */
export interface PackagePlanDeps {
  readonly processes: ProcessesPort
  readonly clock: Pick<ClockPort, 'now'>
  readonly env: Readonly<Record<string, string>>
}

/** The steps that install the packages of a program. */
export interface PackagePlan {
  /** The folder of the packages, relative to the folder of the project. */
  readonly packagesFolder: string
  /** The commands, in order. */
  readonly commands: readonly PackageCommand[]
  /**
   * Identifies the packages by manager, requirements, runtime and options. Without exact versions,
   * also by the day.
   */
  readonly marker: string
  /** Whether another program with this marker has the same packages. */
  readonly canReusePackages: boolean
}
