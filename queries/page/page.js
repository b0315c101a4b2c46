"use strict";
// Sorting: a button in each heading. Numbers are cells of class n; what is not
// stated comes last either way.
function key(row, i) {
  var cell = row.cells[i];
  return { text: cell.textContent, number: cell.className === "n" ? Number(cell.textContent) : null };
}
function sortBy(table, i, heading) {
  var down = heading.getAttribute("aria-sort") === "ascending";
  var rows = Array.prototype.slice.call(table.tBodies[0].rows);
  rows.sort(function (a, b) {
    var x = key(a, i), y = key(b, i);
    if (x.text === "" || y.text === "") { return (x.text === "") - (y.text === ""); }
    var order = x.number !== null && y.number !== null ? x.number - y.number : x.text < y.text ? -1 : x.text > y.text ? 1 : 0;
    return down ? -order : order;
  });
  rows.forEach(function (row) { table.tBodies[0].appendChild(row); });
  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (c) { c.removeAttribute("aria-sort"); });
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
}
function makeSortable(table) {
  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (heading, i) {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    button.addEventListener("click", function () { sortBy(table, i, heading); });
    heading.textContent = "";
    heading.appendChild(button);
  });
}
// Filtering: rows that hold the text somewhere.
function makeFilterable(table) {
  if (table.tBodies[0].rows.length < 20) { return; }
  var label = document.createElement("label"), input = document.createElement("input");
  label.className = "filter";
  label.textContent = "Filter: " + table.caption.textContent;
  input.type = "search";
  label.appendChild(input);
  input.addEventListener("input", function () {
    var wanted = input.value.toLowerCase();
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;
    });
  });
  table.parentNode.parentNode.insertBefore(label, table.parentNode);
}
Array.prototype.forEach.call(document.querySelectorAll("table"), function (table) {
  makeSortable(table);
  makeFilterable(table);
});
// Values of points: the title that a browser shows by itself, at once and beside the pointer.
var tip = document.getElementById("tip");
Array.prototype.forEach.call(document.querySelectorAll("circle.point"), function (point) {
  var title = point.querySelector("title"), text = title.textContent;
  point.setAttribute("aria-label", text);
  point.removeChild(title);
  point.addEventListener("mousemove", function (event) {
    tip.textContent = text;
    tip.hidden = false;
    tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + "px";
  });
  point.addEventListener("mouseleave", function () { tip.hidden = true; });
});
