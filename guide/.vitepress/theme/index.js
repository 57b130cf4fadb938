// VitePress's own theme with the fonts of the reader's system: nothing to load, and half the size.
import theme from 'vitepress/theme-without-fonts'

export default theme
