/** The files of a generated SDK. */
export interface GeneratedSdk {
  /** The texts of the files by their paths in the folder of the SDK. */
  readonly files: ReadonlyMap<string, string>
  /** Parts of the package that the SDK does not have. */
  readonly omissions: readonly string[]
}
