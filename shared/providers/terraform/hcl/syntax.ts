/**
 * terraform/hcl: the syntax of Terraform's language. Imports errors and values only.
 *
 * Invariants: parsing evaluates nothing. Every syntax error names the file, line and column. The
 * nesting and the size of a text are bounded.
 */

/** A place in a text. Lines and columns begin at 1. */
export interface HclPlace {
  readonly line: number
  readonly column: number
}

/** An expression, as it is written. */
export type HclExpression = HclPlace & HclExpressionKind

type HclExpressionKind =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  /** Texts and interpolated expressions. Adjacent parts are never both texts. */
  | { readonly kind: 'template'; readonly parts: readonly (string | HclExpression)[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'attribute'; readonly source: HclExpression; readonly name: string }
  | { readonly kind: 'index'; readonly source: HclExpression; readonly key: HclExpression }
  /** `steps` apply to each element. Their innermost source has the kind `element`. */
  | { readonly kind: 'splat'; readonly source: HclExpression; readonly steps: HclExpression }
  /** The element of the innermost splat. */
  | { readonly kind: 'element' }
  | HclCall
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: HclExpression }
  | {
      readonly kind: 'binary'
      readonly operator: string
      readonly left: HclExpression
      readonly right: HclExpression
    }
  | {
      readonly kind: 'conditional'
      readonly condition: HclExpression
      readonly yes: HclExpression
      readonly no: HclExpression
    }
  | { readonly kind: 'parentheses'; readonly inner: HclExpression }
  | { readonly kind: 'tuple'; readonly items: readonly HclExpression[] }
  | { readonly kind: 'object'; readonly items: readonly HclItem[] }
  | HclFor

/** A call. `name` may have namespaces: `provider::time::duration_parse`. */
export interface HclCall {
  readonly kind: 'call'
  readonly name: string
  readonly args: readonly HclExpression[]
  /** Whether the last argument is a list of arguments: `f(list...)`. */
  readonly isExpanded: boolean
}

/** An item of an object. A key that is a bare name has the kind `template`. */
export interface HclItem {
  readonly key: HclExpression
  readonly value: HclExpression
}

/** `[for …]`, or with a key `{for …}`. */
export interface HclFor {
  readonly kind: 'for'
  readonly keyName: string | undefined
  readonly valueName: string
  readonly collection: HclExpression
  readonly key: HclExpression | undefined
  readonly value: HclExpression
  /** Whether the values of equal keys become one list: `{for … : key => value...}`. */
  readonly isGrouped: boolean
  readonly condition: HclExpression | undefined
}

/** The contents of a file or block. */
export interface HclSyntaxBody {
  readonly attributes: ReadonlyMap<string, HclExpression>
  /** In the order of the file. */
  readonly blocks: readonly HclSyntaxBlock[]
}

/** A block such as `resource "random_pet" "dog" { … }`. */
export interface HclSyntaxBlock extends HclPlace {
  readonly type: string
  readonly labels: readonly string[]
  readonly body: HclSyntaxBody
}
