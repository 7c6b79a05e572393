import './Sidebar.css'
import { slugify } from '../util/slugify'

export function mountSidebar(root: HTMLElement): void {
  const menu = document.createElement('nav')
  for (const title of ['Berths', 'My orders', 'Weather']) {
    const link = document.createElement('a')
    link.href = '#' + slugify(title)
    link.textContent = title
    menu.append(link)
  }
  root.append(menu)
}
