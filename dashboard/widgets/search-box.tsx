import { Button, Input, Label, SearchField } from 'react-aria-components'

/** Shows a box that filters a list while its user types. Escape empties it. */
export function SearchBox(props: {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
}) {
  const { label, placeholder, value, onChange } = props
  return (
    <SearchField className="search-box" value={value} onChange={onChange}>
      <Label className="visually-hidden">{label}</Label>
      <svg viewBox="0 0 16 16" aria-hidden="true" className="search-symbol">
        <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.4 10.4l3.1 3.1" />
      </svg>
      <Input placeholder={placeholder} spellCheck="false" autoComplete="off" />
      <Button className="search-clear" aria-label="Clear the filter">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4.5 4.5l7 7M11.5 4.5l-7 7" />
        </svg>
      </Button>
    </SearchField>
  )
}
