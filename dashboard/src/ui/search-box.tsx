// A text field for searches.
import { Icon } from './icons.tsx'

interface SearchBoxProps {
  label: string
  placeholder: string
  value: string
  onInput: (value: string) => void
}

export const SearchBox = ({ label, placeholder, value, onInput }: SearchBoxProps) => (
  <div class="search">
    <Icon name="search" />
    <input
      class="input"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onInput={event => onInput(event.currentTarget.value)}
    />
  </div>
)
