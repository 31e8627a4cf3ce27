/**
 * The parameters with which a plugin serves the package `name` with this version. Snapshots store
 * extensions in this form. `value`: the parameters in base64.
 */
export interface PackageParameterization {
  readonly name: string
  readonly version: string
  readonly value: string
}
