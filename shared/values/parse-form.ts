import * as z from 'zod'

const refusingForm = z.custom(() => false, 'an object has a field `length` that is not a number')

/**
 * Parses foreign data like `safeParse` of the form. A form compares the field `length` of a value
 * even if the value is neither a text nor a list. For some objects the comparison throws an error.
 * Such objects are invalid data, so this function returns a failed result instead.
 */
export function parseForm<Form extends z.ZodType>(
  form: Form,
  value: unknown,
): z.ZodSafeParseResult<z.output<Form>> {
  try {
    return form.safeParse(value)
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    // `refusingForm` refuses every value. Its failed result has the same type as that of `form`.
    return refusingForm.safeParse(value) as z.ZodSafeParseResult<z.output<Form>>
  }
}
