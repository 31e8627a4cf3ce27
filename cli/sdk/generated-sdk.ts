import type { OutputFile } from '../project/output-file.ts'

/** The files of a generated SDK. */
export interface GeneratedSdk {
  /** The files by their paths in the folder of the SDK. */
  readonly files: ReadonlyMap<string, OutputFile>
  /** Parts of the package that the SDK does not have. */
  readonly omissions: readonly string[]
}
