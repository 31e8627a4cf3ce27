/**
 * A port in the form of the store: synchronous. Processes pass one more argument, which identifies
 * the call. A method that creates something uses it to recognize a repetition.
 */
export type Sync<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never
}
