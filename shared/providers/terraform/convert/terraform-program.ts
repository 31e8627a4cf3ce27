/**
 * terraform/convert: translates programs of Terraform into Pulumi's configuration language. Imports
 * terraform/hcl, mapping, values, and types of terraform/driver. It is pure.
 *
 * Invariants: expressions are written again, and never evaluated. Names of types and properties
 * follow from the schemas of the providers. Each part without an equivalent becomes one note.
 */
import type { HclExpression, HclPlace, HclSyntaxBlock, HclSyntaxBody } from '../hcl/syntax.ts'

/** A place in a file of a program. */
export interface FilePlace extends HclPlace {
  readonly file: string
}

/** A named part of a program, such as a variable. */
export interface Declaration extends FilePlace {
  readonly name: string
  readonly body: HclSyntaxBody
}

/** A resource or a data source. */
export interface TypedDeclaration extends Declaration {
  /** The type in Terraform, such as `random_pet`. */
  readonly type: string
}

/** A local value. */
export interface LocalValue extends FilePlace {
  readonly name: string
  readonly value: HclExpression
}

/** The configuration of a provider. `name` is the local name of the provider. */
export interface ProviderBlock extends Declaration {
  readonly alias: string | undefined
}

/** A provider that a program requires. */
export interface RequiredProvider {
  /** The address, such as `hashicorp/random`. */
  readonly source: string
  /** The conditions of the version. '' = every version. */
  readonly version: string
}

/** An object that a program imports into a resource. */
export interface ImportedObject extends FilePlace {
  /** The address of the resource. */
  readonly address: string
  readonly id: HclExpression
}

/** A part of a program that was not converted, or not completely. */
export interface ConversionNote extends FilePlace {
  readonly problem: string
  /** The step that the user takes by hand, as a complete sentence. */
  readonly advice: string
}

/** A program of Terraform. */
export interface TerraformProgram {
  readonly variables: readonly Declaration[]
  readonly locals: readonly LocalValue[]
  readonly resources: readonly TypedDeclaration[]
  readonly dataSources: readonly TypedDeclaration[]
  readonly outputs: readonly Declaration[]
  readonly providers: readonly ProviderBlock[]
  readonly imports: readonly ImportedObject[]
  /** The required providers by their local names. */
  readonly requiredProviders: ReadonlyMap<string, RequiredProvider>
  /** Values of variables in `*.tfvars` by the name of the variable. */
  readonly values: ReadonlyMap<string, LocalValue>
  /** The override file of each part that is not in the file of its declaration. */
  readonly overrideFiles: ReadonlyMap<HclExpression | HclSyntaxBlock, string>
  readonly notes: readonly ConversionNote[]
}

/** A program while its files are read. */
export interface ProgramParts {
  readonly variables: Declaration[]
  readonly locals: LocalValue[]
  readonly resources: TypedDeclaration[]
  readonly dataSources: TypedDeclaration[]
  readonly outputs: Declaration[]
  readonly providers: ProviderBlock[]
  readonly imports: ImportedObject[]
  readonly requiredProviders: Map<string, RequiredProvider>
  readonly values: Map<string, LocalValue>
  readonly overrideFiles: Map<HclExpression | HclSyntaxBlock, string>
  readonly notes: ConversionNote[]
}
