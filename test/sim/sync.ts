/**
 * A port in the form of the store: synchronous. A method that creates something has one more
 * argument, which identifies the call, so that a repetition is recognized.
 */
export type Sync<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never
}
